/// A cookie store: cookies and the rules by which they are stored and found (RFC 6265bis 5.7, 5.8). A value without locks or clocks.
struct CookieStore {
  /// How many cookies are kept for a site and in all; beyond that the oldest are evicted.
  static let siteLimit = 180
  static let totalLimit = 3000

  private struct Entry {
    let cookie: HTTPCookie
    /// Counts up with each new cookie; a cookie that replaces another takes its number over.
    let order: UInt64
    let stored: Date
  }

  /// By site, so that a request looks at its own site's cookies only.
  private var sites: [String: [Entry]] = [:]
  private var nextOrder: UInt64 = 0
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// Stores a cookie as the application says. An expired one removes the stored one.
  /// - Returns: whether anything changed.
  mutating func store(_ cookie: HTTPCookie, now: Date) -> Bool {
    let site = PublicSuffixes.site(of: cookie.bareDomain)
    var entries = sites[site] ?? []
    let index = entries.firstIndex { Self.isSame($0.cookie, cookie) }
    if cookie.isExpired(at: now) {
      guard let index else { return false }
      entries.remove(at: index)
      replace(site, by: entries)
      return true
    }
    if let index {
      let old = entries[index]
      entries[index] = Entry(cookie: cookie, order: old.order, stored: now)
      sites[site] = entries
      return old.cookie != cookie
    }
    entries.append(Entry(cookie: cookie, order: nextOrder, stored: now))
    nextOrder += 1
    if entries.count > Self.siteLimit {
      Self.evict(from: &entries, now: now)
    }
    replace(site, by: entries)
    if count > Self.totalLimit { evictOldest(now: now) }
    return true
  }

  /// Stores a cookie of a server, if that may set it.
  /// - Returns: whether anything changed.
  mutating func store(_ cookie: HTTPCookie, from origin: CookieOrigin, now: Date) -> Bool {
    guard mayStore(cookie, from: origin, now: now) else { return false }
    return store(cookie, now: now)
  }

  /// The cookies for a request in the order of sending: longest path first, then oldest first (5.8.3).
  func cookies(for origin: CookieOrigin, now: Date) -> [HTTPCookie] {
    guard let entries = sites[origin.site] else { return [] }
    let found = entries.filter { Self.isWanted($0.cookie, by: origin, now: now) }
    guard found.count > 1 else { return found.map(\.cookie) }
    return found.sorted {
      let left = $0.cookie.path.utf8.count
      let right = $1.cookie.path.utf8.count
      return left == right ? $0.order < $1.order : left > right
    }.map(\.cookie)
  }

  /// All cookies that have not expired, oldest first.
  func all(now: Date) -> [HTTPCookie] {
    sites.values.joined().filter { !$0.cookie.isExpired(at: now) }.sorted { $0.order < $1.order }.map(\.cookie)
  }

  /// Removes the cookie with the same name, domain and path. Returns whether there was one.
  mutating func remove(_ cookie: HTTPCookie) -> Bool {
    let site = PublicSuffixes.site(of: cookie.bareDomain)
    guard var entries = sites[site], let index = entries.firstIndex(where: { Self.isSame($0.cookie, cookie) })
    else { return false }
    entries.remove(at: index)
    replace(site, by: entries)
    return true
  }

  /// Removes the cookies that were stored or changed after a date. Returns whether there were any.
  mutating func removeAll(storedSince date: Date) -> Bool {
    let before = count
    for (site, entries) in sites {
      replace(site, by: entries.filter { $0.stored <= date })
    }
    return count != before
  }

  private func mayStore(_ cookie: HTTPCookie, from origin: CookieOrigin, now: Date) -> Bool {
    let domain = cookie.bareDomain
    if cookie.isHostOnly {
      guard domain == origin.host else { return false }
    } else {
      guard CookieMatching.domainMatches(host: origin.host, domain: domain),
        !PublicSuffixes.isPublicSuffix(domain)
      else { return false }
    }
    if cookie.sameSitePolicy != nil, cookie.sameSitePolicy?.rawValue != "none", origin.isCrossSite { return false }
    guard !origin.isSecure else { return true }
    return !cookie.isSecure && !hidesSecureCookie(cookie, at: origin.site, now: now)
  }

  /// Whether a cookie from an unencrypted connection would overlay a secure one (5.7, "leave secure cookies alone").
  private func hidesSecureCookie(_ cookie: HTTPCookie, at site: String, now: Date) -> Bool {
    (sites[site] ?? []).contains {
      let other = $0.cookie
      return other.isSecure && other.name == cookie.name && !other.isExpired(at: now)
        && (CookieMatching.domainMatches(host: other.bareDomain, domain: cookie.bareDomain)
          || CookieMatching.domainMatches(host: cookie.bareDomain, domain: other.bareDomain))
        && CookieMatching.pathMatches(requestPath: cookie.path, cookiePath: other.path)
    }
  }

  private static func isWanted(_ cookie: HTTPCookie, by origin: CookieOrigin, now: Date) -> Bool {
    if cookie.isSecure && !origin.isSecure || cookie.isExpired(at: now) || !cookie.mayGo(to: origin) { return false }
    let domain = cookie.bareDomain
    let fits =
      cookie.isHostOnly
      ? domain == origin.host : CookieMatching.domainMatches(host: origin.host, domain: domain)
    return fits && CookieMatching.pathMatches(requestPath: origin.path, cookiePath: cookie.path)
  }

  private static func isSame(_ left: HTTPCookie, _ right: HTTPCookie) -> Bool {
    left.name == right.name && left.path == right.path && left.domain == right.domain
  }

  private static func evict(from entries: inout [Entry], now: Date) {
    entries.removeAll { $0.cookie.isExpired(at: now) }
    while entries.count > siteLimit, let oldest = entries.indices.min(by: { entries[$0].order < entries[$1].order }) {
      entries.remove(at: oldest)
    }
  }

  private mutating func evictOldest(now: Date) {
    for (site, entries) in sites where entries.contains(where: { $0.cookie.isExpired(at: now) }) {
      replace(site, by: entries.filter { !$0.cookie.isExpired(at: now) })
    }
    while count > Self.totalLimit {
      let oldest = sites.min { ($0.value.first?.order ?? .max) < ($1.value.first?.order ?? .max) }
      guard let oldest else { return }
      replace(oldest.key, by: Array(oldest.value.dropFirst()))
    }
  }

  private mutating func replace(_ site: String, by entries: [Entry]) {
    count += entries.count - (sites[site]?.count ?? 0)
    sites[site] = entries.isEmpty ? nil : entries
  }
}
