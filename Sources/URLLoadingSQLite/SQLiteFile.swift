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

  /// Of several processes that find the damage, the first one replaces the file, and the others open what it has made.
  private func replaceDamaged() throws -> SQLiteDatabase {
    let lock = Glibc.open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(lock) }
    if lock >= 0 { while flock(lock, LOCK_EX) != 0, errno == EINTR {} }
    do { return try openAsItIs() } catch let error as SQLiteError where error.saysDamaged {
      putAside()
      return try openAsItIs()
    }
  }

  private func openAsItIs() throws -> SQLiteDatabase {
    let database = try SQLiteDatabase(path: path, options: options)
    // The common case needs no write lock.
    if try database.schemaVersion() == schemaVersion { return database }
    try database.transaction {
      switch try database.schemaVersion() {
      case schemaVersion: break
      case 0:
        try database.execute(schema)
        try database.execute("PRAGMA user_version = \(schemaVersion)")
      case let other:
        throw SQLiteError(
          code: 1, message: "\(path) has version \(other) of its tables, and this program knows \(schemaVersion)")
      }
    }
    return database
  }

  /// Moves the damaged file away; its log would be taken for that of the new one.
  private func putAside() {
    rename(path, path + ".damaged")
    unlink(path + "-wal")
    unlink(path + "-shm")
  }
}
