import Foundation
internal import URLLoadingCSQLite

/// A prepared statement. Parameters are bound from 1 on, columns are read from 0 on, as SQLite counts them.
///
/// ```swift
/// let statement = try database.statement("SELECT value FROM cookie WHERE name = ?")
/// try statement.bind(name, at: 1)
/// while try statement.step() { values.append(statement.text(0)) }
/// ```
///
/// Not for two threads at once, as its database.
package final class SQLiteStatement {
  private let handle: OpaquePointer
  private let database: OpaquePointer
  private let path: String

  init(handle: OpaquePointer, database: OpaquePointer, path: String) {
    self.handle = handle
    self.database = database
    self.path = path
  }

  deinit { sqlite3_finalize(handle) }

  /// Ends the reading of rows and drops what was bound: an open read would keep the log from being written back.
  package func reset() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  // MARK: Parameters

  package func bind(_ value: Int64?, at index: Int) throws(SQLiteError) {
    guard let value else { return try check(sqlite3_bind_null(handle, Int32(index))) }
    try check(sqlite3_bind_int64(handle, Int32(index), value))
  }

  package func bind(_ value: Double?, at index: Int) throws(SQLiteError) {
    guard let value else { return try check(sqlite3_bind_null(handle, Int32(index))) }
    try check(sqlite3_bind_double(handle, Int32(index), value))
  }

  package func bind(_ value: Bool, at index: Int) throws(SQLiteError) {
    try bind(value ? 1 : 0 as Int64, at: index)
  }

  package func bind(_ value: String?, at index: Int) throws(SQLiteError) {
    guard let value else { return try check(sqlite3_bind_null(handle, Int32(index))) }
    let count = Int32(clamping: value.utf8.count)
    try check(sqlite3_bind_text(handle, Int32(index), value, count, url_loading_sqlite_transient()))
  }

  package func bind(_ value: Data?, at index: Int) throws(SQLiteError) {
    guard let value else { return try check(sqlite3_bind_null(handle, Int32(index))) }
    let status = value.withUnsafeBytes { bytes in
      // A null pointer would bind NULL in the place of no bytes.
      bytes.isEmpty
        ? sqlite3_bind_zeroblob(handle, Int32(index), 0)
        : sqlite3_bind_blob64(
          handle, Int32(index), bytes.baseAddress, UInt64(bytes.count), url_loading_sqlite_transient())
    }
    try check(status)
  }

  // MARK: Rows

  /// Goes to the next row.
  /// - Returns: false after the last one; the statement is reset then.
  package func step() throws(SQLiteError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      reset()
      return false
    default:
      let error = lastError
      reset()
      throw error
    }
  }

  /// Runs a statement that has no rows, or whose rows nobody wants.
  package func run() throws(SQLiteError) {
    while try step() {}
  }

  package func integer(_ column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(column)) }

  package func double(_ column: Int) -> Double { sqlite3_column_double(handle, Int32(column)) }

  package func isNull(_ column: Int) -> Bool { sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL }

  package func isBlob(_ column: Int) -> Bool { sqlite3_column_type(handle, Int32(column)) == SQLITE_BLOB }

  /// The text of a column, with what is no UTF-8 replaced; empty for NULL.
  package func text(_ column: Int) -> String {
    guard let bytes = sqlite3_column_text(handle, Int32(column)) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, Int32(column)))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  /// A copy of the bytes of a column; empty for NULL.
  package func data(_ column: Int) -> Data {
    guard let bytes = sqlite3_column_blob(handle, Int32(column)) else { return Data() }
    return Data(bytes: bytes, count: Int(sqlite3_column_bytes(handle, Int32(column))))
  }

  private func check(_ status: Int32) throws(SQLiteError) {
    guard status == SQLITE_OK else { throw lastError }
  }

  private var lastError: SQLiteError {
    SQLiteError(
      code: sqlite3_extended_errcode(database), message: "\(path): \(String(cString: sqlite3_errmsg(database)))")
  }
}
