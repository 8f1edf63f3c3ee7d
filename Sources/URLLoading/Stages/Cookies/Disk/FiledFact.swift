internal import URLLoadingCZlib
internal import URLLoadingHTTPSemantics
internal import URLLoadingSQLite

/// A fact about a host that has a row in a file.
protocol FiledFact: HostFact {
  /// The table's name.
  static var table: String { get }
  /// The table's definition, as SQLite gives it back, too. It has a column `noted`.
  static var schema: String { get }
  /// The names of all columns, in the table's order.
  static var columns: String { get }
  /// What is true of the row of a key, whose values are ?1 and the numbers after it, up to ?8.
  static var condition: String { get }

  /// Binds the values of ``condition``.
  static func bind(_ key: Key, to statement: SQLiteStatement) throws

  /// Binds all columns.
  func bind(to statement: SQLiteStatement) throws

  /// Reads a row of all columns; nil where it is not as it was written.
  init?(_ row: SQLiteStatement)
}

/// A sum of 32 bits (CRC-32) of all that a row says: SQLite does not notice a change inside of a value.
struct FactChecksum {
  private var bytes: [UInt8] = []

  mutating func add(_ text: String) {
    bytes += Array(text.utf8)
    // No byte of UTF-8 is this one.
    bytes.append(0xFF)
  }

  mutating func add(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

  mutating func add(_ number: UInt16) { withUnsafeBytes(of: number.littleEndian) { bytes += $0 } }

  mutating func add(_ date: Date) {
    // SQLite may give zero without its sign.
    let bits = (date.timeIntervalSinceReferenceDate + 0).bitPattern
    withUnsafeBytes(of: bits.littleEndian) { bytes += $0 }
  }

  var value: Int64 { bytes.withUnsafeBufferPointer { Int64(crc32_z(0, $0.baseAddress, $0.count)) } }
}
