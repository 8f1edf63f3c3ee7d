internal import URLLoadingBase
internal import URLLoadingSQLite

extension CookieRow {
  /// As SQLite gives it back, too.
  static let schema = """
    CREATE TABLE cookie (
      partition TEXT NOT NULL, domain TEXT NOT NULL, path TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
      expires REAL NOT NULL, is_secure INTEGER NOT NULL, is_http_only INTEGER NOT NULL, same_site TEXT, version INTEGER NOT NULL,
      comment TEXT, comment_url TEXT, ports TEXT, creation INTEGER NOT NULL, stored REAL NOT NULL, last_access INTEGER NOT NULL,
      checksum INTEGER NOT NULL, PRIMARY KEY (partition, domain, path, name)) WITHOUT ROWID
    """

  static let selection = """
    SELECT partition, domain, path, name, value, expires, is_secure, is_http_only, same_site, version, comment, comment_url,
      ports, creation, stored, last_access, checksum FROM cookie
    """

  static let insertion = "INSERT OR REPLACE INTO cookie VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

  /// The parameters that name a row are the first four of every statement.
  static let whereKey = "WHERE partition = ?1 AND domain = ?2 AND path = ?3 AND name = ?4"

  static func bindKey(_ cookie: HTTPCookie, partition: String, to statement: SQLiteStatement) throws {
    let contents = cookie.contents
    for (index, text) in [partition, contents.domain, contents.path, contents.name].enumerated() {
      try statement.bind(text, at: index + 1)
    }
  }

  /// Binds all columns of ``insertion``.
  func bind(to statement: SQLiteStatement) throws {
    let contents = record.cookie.contents
    try Self.bindKey(record.cookie, partition: partition, to: statement)
    // Octets that are no UTF-8 are a BLOB. The name is a part of the key, and stays a text.
    if contents.isLatin1 {
      try statement.bind(Data(OctetText(contents.value, isLatin1: true).octets), at: 5)
    } else {
      try statement.bind(contents.value, at: 5)
    }
    try statement.bind(contents.expires?.timeIntervalSinceReferenceDate, at: 6)
    try statement.bind(contents.isSecure, at: 7)
    try statement.bind(contents.isHTTPOnly, at: 8)
    try statement.bind(contents.sameSite?.rawValue, at: 9)
    try statement.bind(Int64(contents.version), at: 10)
    try statement.bind(contents.comment, at: 11)
    try statement.bind(contents.commentURL?.absoluteString, at: 12)
    try statement.bind(contents.ports.map(Self.text), at: 13)
    try statement.bind(record.creation, at: 14)
    try statement.bind(record.stored.timeIntervalSinceReferenceDate, at: 15)
    try statement.bind(record.lastAccess, at: 16)
    try statement.bind(checksum, at: 17)
  }

  /// Reads a row of ``selection``; nil where it is not as it was written.
  init?(_ row: SQLiteStatement) {
    func text(_ column: Int) -> String? { row.isNull(column) ? nil : row.text(column) }
    let isLatin1 = row.isBlob(4)
    let value = isLatin1 ? String(latin1: row.data(4)) : row.text(4)
    var contents = HTTPCookie.Contents(name: row.text(3), value: value, domain: row.text(1), path: row.text(2))
    contents.isLatin1 = isLatin1
    contents.expires = Date(timeIntervalSinceReferenceDate: row.double(5))
    contents.isSecure = row.integer(6) != 0
    contents.isHTTPOnly = row.integer(7) != 0
    contents.sameSite = text(8).map { HTTPCookieStringPolicy(rawValue: $0) }
    contents.version = Int(row.integer(9))
    contents.comment = text(10)
    contents.commentURL = text(11).flatMap { URL(string: $0) }
    contents.ports = text(12)?.split(separator: ",").compactMap { Int($0) }
    // Microseconds up to the year 5000: room for the counting that goes on from here.
    let times: ClosedRange<Int64> = 0...100_000_000_000_000_000
    let (creation, lastAccess) = (row.integer(13), row.integer(15))
    guard times.contains(creation), contents.isSound else { return nil }
    let record = CookieRecord(
      HTTPCookie(contents), creation: creation, lastAccess: times.contains(lastAccess) ? lastAccess : creation,
      stored: Date(timeIntervalSinceReferenceDate: row.double(14)))
    self.init(partition: row.text(0), record: record)
    guard checksum == row.integer(16) else { return nil }
  }
}

extension HTTPCookie.Contents {
  /// Whether nothing in it would end a header field: a file may have been written by anybody.
  fileprivate var isSound: Bool {
    !domain.isEmpty
      && [name, value, domain, path].allSatisfy {
        !$0.utf8.contains { SetCookie.isControl($0) || $0 == UInt8(ascii: ";") }
      }
  }
}
