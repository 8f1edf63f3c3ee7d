internal import URLLoadingHTTPSemantics
internal import URLLoadingSQLite

extension AlternativeService: FiledFact {
  static let table = "alternative"

  static let schema = """
    CREATE TABLE alternative (
      origin_host TEXT NOT NULL, origin_port INTEGER NOT NULL, host TEXT NOT NULL, port INTEGER NOT NULL,
      expires REAL NOT NULL, persists INTEGER NOT NULL, noted REAL NOT NULL, checksum INTEGER NOT NULL,
      PRIMARY KEY (origin_host, origin_port)) WITHOUT ROWID
    """

  static let columns = "origin_host, origin_port, host, port, expires, persists, noted, checksum"

  static let condition = "origin_host = ?1 AND origin_port = ?2"

  static func bind(_ key: HTTPOrigin, to statement: SQLiteStatement) throws {
    try statement.bind(key.host, at: 1)
    try statement.bind(Int64(key.port), at: 2)
  }

  func bind(to statement: SQLiteStatement) throws {
    try statement.bind(origin.host, at: 1)
    try statement.bind(Int64(origin.port), at: 2)
    try statement.bind(endpoint.host, at: 3)
    try statement.bind(Int64(endpoint.port), at: 4)
    try statement.bind(expires.timeIntervalSinceReferenceDate, at: 5)
    try statement.bind(persists, at: 6)
    try statement.bind(noted.timeIntervalSinceReferenceDate, at: 7)
    try statement.bind(checksum, at: 8)
  }

  init?(_ row: SQLiteStatement) {
    guard let origin = HTTPOrigin(filed: row.text(0), port: row.integer(1)),
      let endpoint = HTTPOrigin(filed: row.text(2), port: row.integer(3))
    else { return nil }
    self.init(
      origin: origin, endpoint: endpoint, expires: Date(timeIntervalSinceReferenceDate: row.double(4)),
      persists: row.integer(5) != 0, noted: Date(timeIntervalSinceReferenceDate: row.double(6)))
    guard checksum == row.integer(7) else { return nil }
  }

  private var checksum: Int64 {
    var sum = FactChecksum()
    for place in [origin, endpoint] {
      sum.add(place.host)
      sum.add(place.port)
    }
    sum.add(expires)
    sum.add(persists)
    sum.add(noted)
    return sum.value
  }
}

extension HTTPOrigin {
  /// Nil where the columns have no host and port.
  fileprivate init?(filed host: String, port: Int64) {
    guard HTTPOrigin.canonicalHost(host) == host, let port = UInt16(exactly: port), port > 0 else { return nil }
    self.init(host: host, port: port)
  }
}
