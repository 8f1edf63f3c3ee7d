internal import URLLoadingHTTPSemantics
internal import URLLoadingSQLite

extension HSTSPolicy: FiledFact {
  static let table = "hsts"

  static let schema = """
    CREATE TABLE hsts (
      host TEXT NOT NULL, includes_subdomains INTEGER NOT NULL, expires REAL NOT NULL, noted REAL NOT NULL,
      checksum INTEGER NOT NULL, PRIMARY KEY (host)) WITHOUT ROWID
    """

  static let columns = "host, includes_subdomains, expires, noted, checksum"

  static let condition = "host = ?1"

  static func bind(_ key: String, to statement: SQLiteStatement) throws {
    try statement.bind(key, at: 1)
  }

  func bind(to statement: SQLiteStatement) throws {
    try statement.bind(host, at: 1)
    try statement.bind(includesSubdomains, at: 2)
    try statement.bind(expires.timeIntervalSinceReferenceDate, at: 3)
    try statement.bind(noted.timeIntervalSinceReferenceDate, at: 4)
    try statement.bind(checksum, at: 5)
  }

  init?(_ row: SQLiteStatement) {
    self.init(
      host: row.text(0), includesSubdomains: row.integer(1) != 0,
      expires: Date(timeIntervalSinceReferenceDate: row.double(2)),
      noted: Date(timeIntervalSinceReferenceDate: row.double(3)))
    guard HSTSPolicy.canonicalName(of: host) == host, checksum == row.integer(4) else { return nil }
  }

  private var checksum: Int64 {
    var sum = FactChecksum()
    sum.add(host)
    sum.add(includesSubdomains)
    sum.add(expires)
    sum.add(noted)
    return sum.value
  }
}
