import Foundation
internal import URLLoadingCSQLite

/// A connection to a database file, with the statements that it has prepared.
///
/// Not for two threads at once: its owner has a lock or a queue around it. Several connections, of other processes too, may use one
/// file: it is in write-ahead mode (sqlite.org/wal.html), where readers do not wait for a writer, and a process that is killed loses
/// nothing that was committed.
package final class SQLiteDatabase {
  /// How a database is opened.
  package struct Options: Sendable {
    /// The longest time that a statement waits for another connection's write.
    package var busyTimeout: Duration = .milliseconds(500)
    /// Whether a commit has reached the disk when it returns. Else the last commits may be lost with the machine's power, not with the
    /// process.
    package var isDurable = true
    /// Whether the bytes of what is deleted are overwritten, so that the file does not keep them.
    package var erasesWhatIsDeleted = false

    package init(
      busyTimeout: Duration = .milliseconds(500), isDurable: Bool = true, erasesWhatIsDeleted: Bool = false
    ) {
      self.busyTimeout = busyTimeout
      self.isDurable = isDurable
      self.erasesWhatIsDeleted = erasesWhatIsDeleted
    }
  }

  /// The path that was opened.
  package let path: String
  private let handle: OpaquePointer
  private let identity: SQLiteFileIdentity?
  private let busyMilliseconds: Int32
  private var statements: [String: SQLiteStatement] = [:]

  /// Opens a file, which is made with mode 0600 where there is none, in a directory that exists.
  package init(path: String, options: Options = Options()) throws(SQLiteError) {
    self.path = path
    // SQLite makes the log and the shared memory with the mode of the file. One that is there is not opened here: closing it would end
    // the locks of all this process's connections to it (sqlite.org/howtocorrupt.html, section 2.2).
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 || errno == EEXIST else {
      throw SQLiteError(
        code: SQLITE_CANTOPEN, message: "\(path) cannot be opened (\(String(cString: strerror(errno))))")
    }
    if descriptor >= 0 { close(descriptor) }
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let status = sqlite3_open_v2(path, &opened, flags, nil)
    guard status == SQLITE_OK, let opened else {
      let error = SQLiteError(code: status, message: "\(path): \(String(cString: sqlite3_errstr(status)))")
      sqlite3_close_v2(opened)
      throw error
    }
    handle = opened
    identity = SQLiteFileIdentity(path: path)
    // A connection whose file was put aside would, at its end, delete the log of the file that has its name by then.
    var keepsLog: Int32 = 1
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &keepsLog)
    let (seconds, attoseconds) = options.busyTimeout.components
    busyMilliseconds = Int32(clamping: seconds &* 1000 &+ attoseconds / 1_000_000_000_000_000)
    sqlite3_busy_timeout(handle, busyMilliseconds)
    // What a file contains cannot run code: a damaged or foreign schema has no triggers, views or functions that are trusted.
    _ = url_loading_sqlite_defend(handle)
    try execute("PRAGMA trusted_schema = OFF")
    try execute("PRAGMA journal_mode = WAL")
    if options.erasesWhatIsDeleted { try execute("PRAGMA secure_delete = ON") }
    try execute(options.isDurable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
  }

  deinit {
    statements = [:]
    sqlite3_close_v2(handle)
  }

  /// Runs statements without parameters or results.
  package func execute(_ sql: String) throws(SQLiteError) {
    try check(sqlite3_exec(handle, sql, nil, nil, nil))
  }

  /// The prepared statement of a text: prepared once, and ready to be bound anew.
  package func statement(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
    if let statement = statements[sql] {
      statement.reset()
      return statement
    }
    var prepared: OpaquePointer?
    try check(sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil))
    guard let prepared else { throw SQLiteError(code: SQLITE_MISUSE, message: "no statement in \"\(sql)\"") }
    let statement = SQLiteStatement(handle: prepared, database: handle, path: path)
    statements[sql] = statement
    return statement
  }

  /// Runs `body` as one change: all of it is committed, or nothing where it throws. The write lock is taken at once, so that what was
  /// read inside is still so when it is written.
  package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    try statement("BEGIN IMMEDIATE").run()
    do {
      let result = try body()
      try statement("COMMIT").run()
      return result
    } catch {
      // It has been rolled back already where the disk is full or the file is damaged.
      if sqlite3_get_autocommit(handle) == 0 { try? statement("ROLLBACK").run() }
      throw error
    }
  }

  /// Writes all of the log back into the file, and cuts it to no length.
  /// - Throws: also where another connection reads or writes for longer than the limit.
  package func emptyLog() throws(SQLiteError) {
    try check(sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil))
  }

  /// The number that SQLite gave to the row that was inserted last.
  package var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Changes with each commit of another connection, in this process or another one.
  package func dataVersion() throws(SQLiteError) -> Int64 { try integer("PRAGMA data_version") }

  /// Runs work that does not wait for other connections: statements fail at once where one of these is writing.
  package func withoutWaiting<Result>(_ body: () throws -> Result) rethrows -> Result {
    sqlite3_busy_timeout(handle, 0)
    defer { sqlite3_busy_timeout(handle, busyMilliseconds) }
    return try body()
  }

  /// Whether the path names another file by now, or none: what is written here would be found by nobody.
  package var isReplaced: Bool { SQLiteFileIdentity(path: path) != identity }

  /// The number of the schema that the file has; 0 for a new file.
  package func schemaVersion() throws(SQLiteError) -> Int64 { try integer("PRAGMA user_version") }

  /// Whether nothing can be written, as known after the first read.
  package var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  /// What the file says about whose it is; 0 for a new file.
  package func applicationID() throws(SQLiteError) -> Int64 { try integer("PRAGMA application_id") }

  private func integer(_ sql: String) throws(SQLiteError) -> Int64 {
    let statement = try statement(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : 0
  }

  private func check(_ status: Int32) throws(SQLiteError) {
    guard status != SQLITE_OK else { return }
    throw SQLiteError(
      code: sqlite3_extended_errcode(handle), message: "\(path): \(String(cString: sqlite3_errmsg(handle)))")
  }
}
