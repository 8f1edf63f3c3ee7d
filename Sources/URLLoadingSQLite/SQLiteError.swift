import Foundation
internal import URLLoadingCSQLite

/// Why SQLite did not do what it was told.
package struct SQLiteError: LocalizedError, Hashable {
  /// SQLite's extended result code.
  package let code: Int32
  package let errorDescription: String?

  package init(code: Int32, message: String) {
    self.code = code
    errorDescription = message
  }

  /// The code of a file that another version of this package has written.
  package static var otherVersion: Int32 { SQLITE_SCHEMA }

  /// The code of a file that is damaged in a way that SQLite does not see.
  package static var damaged: Int32 { SQLITE_CORRUPT }

  private var primaryCode: Int32 { code & 0xFF }

  /// The file is damaged, or is no database. A statement of ours that has an error has one because the tables are defined otherwise.
  package var saysDamaged: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR].contains(primaryCode) }

  /// Another process or connection had the file for longer than the limit, or was first each time that both wanted to begin (SQLITE_PROTOCOL,
  /// which SQLite gives up with after some seconds).
  package var saysBusy: Bool { [SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL].contains(primaryCode) }

  /// The disk has no room left, or a quota or a limit on the size of files does not let the file grow (SQLITE_IOERR_WRITE).
  package var saysFull: Bool { primaryCode == SQLITE_FULL || code == SQLITE_IOERR | 3 << 8 }
}
