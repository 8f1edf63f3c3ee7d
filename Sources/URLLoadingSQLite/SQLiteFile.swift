import Foundation

/// Opens the database of a store at its place: makes directories, replaces what is damaged or of another version.
package struct SQLiteFile: Sendable {
  /// The path of the file, below directories that need not exist.
  package let path: String
  /// The number of the schema, above 0.
  package let schemaVersion: Int64
  /// The statements that make the tables of a new file.
  package let schema: String
  package let options: SQLiteDatabase.Options

  package init(
    path: String, schemaVersion: Int64, schema: String, options: SQLiteDatabase.Options = SQLiteDatabase.Options()
  ) {
    self.path = path
    self.schemaVersion = schemaVersion
    self.schema = schema
    self.options = options
  }

  /// Opens the file. One that is damaged is put aside, as `PATH.damaged`, in place of the last such, and a new one is made.
  ///
  /// - Throws: what keeps the file from being opened, such as a read-only disk; also where the file has a newer schema than this one,
  ///   which is left as it is.
  package func open() throws -> SQLiteDatabase {
    let directory = URL(fileURLWithPath: path).deletingLastPathComponent()
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    do { return try openAsItIs() } catch let error as SQLiteError where error.saysDamaged {
      return try replaceDamaged()
    }
  }

  /// Opens a new file in the place of one whose damage was found while it was used.
  package func open(replacing damaged: SQLiteDatabase) throws -> SQLiteDatabase {
    try withLock {
      if !damaged.isReplaced { putAside() }
      return try openAsItIs()
    }
  }

  private func replaceDamaged() throws -> SQLiteDatabase {
    try withLock {
      do { return try openAsItIs() } catch let error as SQLiteError where error.saysDamaged {
        putAside()
        return try openAsItIs()
      }
    }
  }

  /// Of several processes that find the damage, the first one replaces the file, and the others open what it has made.
  private func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
    let lock = Glibc.open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer { if lock >= 0 { close(lock) } }
    if lock >= 0 { while flock(lock, LOCK_EX) != 0, errno == EINTR {} }
    return try body()
  }

  private func openAsItIs() throws -> SQLiteDatabase {
    let database = try SQLiteDatabase(path: path, options: options)
    // The common case needs no write lock.
    if try checkedVersion(of: database) == schemaVersion { return database }
    try database.transaction {
      switch try checkedVersion(of: database) {
      case schemaVersion: break
      case 0:
        try database.execute(schema)
        try database.execute("PRAGMA user_version = \(schemaVersion)")
        try database.execute("PRAGMA application_id = \(Self.applicationID(of: schemaVersion))")
      case let other:
        throw SQLiteError(
          code: SQLiteError.otherVersion,
          message: "\(path) has version \(other) of its tables, and this program knows \(schemaVersion)")
      }
    }
    return database
  }

  /// The version stands in the file twice: one that is damaged is not taken for that of a newer program.
  private func checkedVersion(of database: SQLiteDatabase) throws -> Int64 {
    let version = try database.schemaVersion()
    guard (0...0xFFFF).contains(version), try database.applicationID() == Self.applicationID(of: version) else {
      throw SQLiteError(code: SQLiteError.damaged, message: "\(path) has two versions of its tables")
    }
    // A file that may be written, and says itself that it may not.
    guard !database.isReadOnly || access(path, W_OK) != 0 else {
      throw SQLiteError(code: SQLiteError.damaged, message: "\(path) has an unknown format")
    }
    return version
  }

  /// "UL", and the version; 0 for a new file.
  private static func applicationID(of version: Int64) -> Int64 { version == 0 ? 0 : 0x554C_0000 | version }

  /// Deletes what was put aside of a file.
  package static func removeDamaged(beside path: String) { unlink(damagedPath(path)) }

  private static func damagedPath(_ path: String) -> String { path + ".damaged" }

  /// Moves the damaged file away; its log would be taken for that of the new one.
  private func putAside() {
    unlink(path + "-wal")
    unlink(path + "-shm")
    rename(path, Self.damagedPath(path))
  }
}
