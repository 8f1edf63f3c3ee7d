internal import URLLoadingCZlib
internal import URLLoadingSQLite
internal import URLLoadingHTTPSemantics

extension HSTSPolicy {
  /// As SQLite gives it back, too.
  static let schema = """
    CREATE TABLE hsts (
      host TEXT NOT NULL, includes_subdomains INTEGER NOT NULL, expires REAL NOT NULL, noted REAL NOT NULL,
      checksum INTEGER NOT NULL, PRIMARY KEY (host)) WITHOUT ROWID
    """

  static let selection = "SELECT host, includes_subdomains, expires, noted, checksum FROM hsts"

  static let insertion = "INSERT OR REPLACE INTO hsts VALUES (?, ?, ?, ?, ?)"

  /// Binds all columns of ``insertion``.
  func bind(to statement: SQLiteStatement) throws {
    try statement.bind(host, at: 1)
    try statement.bind(includesSubdomains, at: 2)
    try statement.bind(expires.timeIntervalSinceReferenceDate, at: 3)
    try statement.bind(noted.timeIntervalSinceReferenceDate, at: 4)
    try statement.bind(checksum, at: 5)
  }

  /// Reads a row of ``selection``; nil where it is not as it was written.
  init?(_ row: SQLiteStatement) {
    self.init(
      host: row.text(0), includesSubdomains: row.integer(1) != 0,
      expires: Date(timeIntervalSinceReferenceDate: row.double(2)),
      noted: Date(timeIntervalSinceReferenceDate: row.double(3)))
    guard HSTSPolicy.canonicalName(of: host) == host, checksum == row.integer(4) else { return nil }
  }

  /// A sum of 32 bits (CRC-32) of all that the row says: SQLite does not notice a change inside of a value.
  private var checksum: Int64 {
    var bytes = Array(host.utf8)
    // No byte of UTF-8 is this one.
    bytes.append(0xFF)
    bytes.append(includesSubdomains ? 1 : 0)
    for date in [expires, noted] {
      // SQLite may give zero without its sign.
      let bits = (date.timeIntervalSinceReferenceDate + 0).bitPattern
      withUnsafeBytes(of: bits.littleEndian) { bytes += $0 }
    }
    return bytes.withUnsafeBufferPointer { Int64(crc32_z(0, $0.baseAddress, $0.count)) }
  }
}
