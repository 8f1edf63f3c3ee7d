/// A cookie as a store keeps it, with what RFC 6265bis 5.7 has noted beside it.
struct CookieRecord {
  /// What makes two cookies the same one (5.7, step 23), compared by bytes: to a server "é" in two spellings is two names.
  struct Key: Hashable {
    /// Empty for none.
    let partition: String
    let domain: String
    let isHostOnly: Bool
    let path: String
    let name: String

    init(_ cookie: HTTPCookie, partition: String) {
      self.partition = partition
      domain = cookie.bareDomain
      isHostOnly = cookie.isHostOnly
      path = cookie.contents.path
      name = cookie.contents.name
    }

    static func == (left: Key, right: Key) -> Bool {
      left.isHostOnly == right.isHostOnly && left.name.utf8.elementsEqual(right.name.utf8)
        && left.path.utf8.elementsEqual(right.path.utf8) && left.domain.utf8.elementsEqual(right.domain.utf8)
        && left.partition.utf8.elementsEqual(right.partition.utf8)
    }

    func hash(into hasher: inout Hasher) {
      for text in [partition, domain, path, name] {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(0xFF as UInt8)
      }
    }
  }

  let cookie: HTTPCookie
  /// Microseconds since 1970, made to count up: no two cookies that a process has made share one, and a clock that is set back changes
  /// no order. A cookie that replaces another takes its time over.
  let creation: Int64
  /// The same for the last request that it was for, or its last change.
  var lastAccess: Int64
  /// The last access that the database knows.
  var notedAccess: Int64
  /// When it was stored or changed.
  let stored: Date

  init(_ cookie: HTTPCookie, creation: Int64, lastAccess: Int64, stored: Date) {
    self.cookie = cookie
    self.creation = creation
    self.lastAccess = lastAccess
    notedAccess = lastAccess
    self.stored = stored
  }

  /// Whether it outlives the program.
  var isLasting: Bool { cookie.contents.isLasting }

  /// Whether an older note of the last access is worth a new one: what is evicted first need not be known to the second.
  var isAccessWorthNoting: Bool { abs(lastAccess &- notedAccess) > 60_000_000 }
}

/// What happened to a cookie of a store, for whoever keeps it elsewhere, too.
enum CookieChange {
  case stored(CookieRecord)
  /// The program or a server wants it gone, whatever version of it there is.
  case removed(HTTPCookie)
  /// It has expired, or is beyond the limits. Nobody has asked for that: a version that is stored later stays.
  case dropped(CookieRecord)
  case used(HTTPCookie, lastAccess: Int64)

  var cookie: HTTPCookie {
    switch self {
    case .stored(let record), .dropped(let record): record.cookie
    case .removed(let cookie), .used(let cookie, _): cookie
    }
  }
}
