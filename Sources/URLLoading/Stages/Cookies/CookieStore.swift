internal import URLLoadingHTTPSemantics

/// A cookie store: cookies and the rules by which they are stored and found (RFC 6265bis 5.7, 5.8). A value without locks or clocks.
struct CookieStore {
  /// How many cookies are kept for a site and in all; beyond that some are evicted. The domain field that RFC 6265bis 5.7 counts by is
  /// the registrable domain: with many names in it a site cannot drive out the cookies of others.
  static let siteLimit = 180
  static let totalLimit = 3000

  /// By site, so that a request looks at its own site's cookies only.
  private var sites: [String: [CookieRecord]] = [:]
  private var lastStamp: Int64 = 0
  private(set) var count = 0
  private let recordsChanges: Bool
  /// What happened since they were taken last, in order; empty unless changes are noted.
  private var changes: [CookieChange] = []

  var isEmpty: Bool { count == 0 }

  init(recordsChanges: Bool = false) {
    self.recordsChanges = recordsChanges
  }

  /// A store of cookies that were kept elsewhere, each once. Those beyond the limits are evicted, and the changes say so.
  init(_ records: some Sequence<CookieRecord>, now: Date) {
    self.init(recordsChanges: true)
    for record in records {
      sites[PublicSuffixes.site(of: record.cookie.bareDomain), default: []].append(record)
      lastStamp = max(lastStamp, record.creation, record.lastAccess)
      count += 1
    }
    keepLimits(now: now)
  }

  /// Evicts what is beyond the limits.
  mutating func keepLimits(now: Date) {
    for (site, entries) in sites where entries.count > Self.siteLimit { evict(from: site, entries, now: now) }
    if count > Self.totalLimit { evictOldest(now: now) }
  }

  mutating func takeChanges() -> [CookieChange] {
    guard !changes.isEmpty else { return [] }
    defer { changes = [] }
    return changes
  }

  // MARK: Storing

  /// Stores a cookie as the application says. An expired one removes the stored one.
  /// - Returns: whether anything changed.
  mutating func store(_ cookie: HTTPCookie, now: Date) -> Bool {
    let site = PublicSuffixes.site(of: cookie.bareDomain)
    var entries = sites[site] ?? []
    let index = entries.firstIndex { Self.isSame($0.cookie, cookie) }
    let old = index.map { entries.remove(at: $0) }
    if cookie.isExpired(at: now) {
      guard let old else { return false }
      recordChange(.removed(old.cookie))
      replace(site, by: entries)
      return true
    }
    // One that has expired has left the store (5.7), whether or not anybody has seen that.
    let replaced = old.flatMap { $0.cookie.isExpired(at: now) ? nil : $0 }
    // Nor does one that ends with the session leave one behind that does not.
    if let old, replaced == nil || cookie.isSessionOnly { recordChange(.removed(old.cookie)) }
    let stamp = stamp(now)
    let record = CookieRecord(cookie, creation: replaced?.creation ?? stamp, lastAccess: stamp, stored: now)
    entries.append(record)
    recordChange(.stored(record))
    if entries.count > Self.siteLimit {
      evict(from: site, entries, now: now)
    } else {
      replace(site, by: entries)
    }
    if count > Self.totalLimit { evictOldest(now: now) }
    return replaced?.cookie != cookie
  }

  /// Stores a cookie of a server, if that may set it.
  /// - Returns: whether anything changed.
  mutating func store(_ cookie: HTTPCookie, from origin: CookieOrigin, now: Date) -> Bool {
    guard mayStore(cookie, from: origin, now: now) else { return false }
    return store(cookie, now: now)
  }

  // MARK: Finding

  /// The cookies for a request in the order of sending: longest path first, then oldest first (5.8.3).
  func cookies(for origin: CookieOrigin, now: Date) -> [HTTPCookie] {
    guard let entries = sites[origin.site] else { return [] }
    let found = entries.filter { Self.isWanted($0.cookie, by: origin, now: now) }
    guard found.count > 1 else { return found.map(\.cookie) }
    return found.sorted(by: Self.isSentBefore).map(\.cookie)
  }

  /// The same for a request that is made: they have been used then (5.8.3, step 3).
  mutating func take(for origin: CookieOrigin, now: Date) -> [HTTPCookie] {
    guard var entries = sites.removeValue(forKey: origin.site) else { return [] }
    var found: [CookieRecord] = []
    for index in entries.indices where Self.isWanted(entries[index].cookie, by: origin, now: now) {
      entries[index].lastAccess = stamp(now)
      if recordsChanges, entries[index].isAccessWorthNoting {
        entries[index].notedAccess = entries[index].lastAccess
        recordChange(.used(entries[index].cookie, lastAccess: entries[index].lastAccess))
      }
      found.append(entries[index])
    }
    sites[origin.site] = entries
    guard found.count > 1 else { return found.map(\.cookie) }
    return found.sorted(by: Self.isSentBefore).map(\.cookie)
  }

  /// All cookies that have not expired, oldest first.
  func all(now: Date) -> [HTTPCookie] {
    sites.values.joined().filter { !$0.cookie.isExpired(at: now) }.sorted { $0.creation < $1.creation }.map(\.cookie)
  }

  // MARK: Beside another store

  /// All that is kept, in no order.
  var records: some Sequence<CookieRecord> { sites.values.joined() }

  /// What is kept of the cookie with the same name, domain and path.
  func record(of cookie: HTTPCookie) -> CookieRecord? {
    sites[PublicSuffixes.site(of: cookie.bareDomain)]?.first { Self.isSame($0.cookie, cookie) }
  }

  /// Keeps a record as it is, in place of that of the same cookie; no change is noted, and limits are not looked at.
  mutating func put(_ record: CookieRecord) {
    let site = PublicSuffixes.site(of: record.cookie.bareDomain)
    let others = (sites[site] ?? []).filter { !Self.isSame($0.cookie, record.cookie) }
    lastStamp = max(lastStamp, record.creation, record.lastAccess)
    replace(site, by: others + [record])
  }

  // MARK: Removing

  /// Removes the cookie with the same name, domain and path. Returns whether there was one.
  mutating func remove(_ cookie: HTTPCookie) -> Bool {
    let site = PublicSuffixes.site(of: cookie.bareDomain)
    guard var entries = sites[site], let index = entries.firstIndex(where: { Self.isSame($0.cookie, cookie) })
    else { return false }
    recordChange(.removed(entries.remove(at: index).cookie))
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

  // MARK: Rules

  private func mayStore(_ cookie: HTTPCookie, from origin: CookieOrigin, now: Date) -> Bool {
    let domain = cookie.bareDomain
    if cookie.isHostOnly {
      guard domain == origin.host else { return false }
    } else {
      guard CookieMatching.domainMatches(host: origin.host, domain: domain),
        !PublicSuffixes.isPublicSuffix(domain)
      else { return false }
    }
    guard cookie.fulfilsPrefix, cookie.mayGo(to: origin) else { return false }
    guard !origin.isSecure else { return true }
    return !cookie.isSecure && !hidesSecureCookie(cookie, at: origin.site, now: now)
  }

  /// Whether a cookie from an unencrypted connection would overlay a secure one (5.7, step 16).
  private func hidesSecureCookie(_ cookie: HTTPCookie, at site: String, now: Date) -> Bool {
    (sites[site] ?? []).contains {
      let other = $0.cookie
      return other.isSecure && other.name.utf8.elementsEqual(cookie.name.utf8) && !other.isExpired(at: now)
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

  private static func isSentBefore(_ first: CookieRecord, _ second: CookieRecord) -> Bool {
    let left = first.cookie.path.utf8.count
    let right = second.cookie.path.utf8.count
    return left == right ? first.creation < second.creation : left > right
  }

  /// Whether two are the same cookie (5.7, step 23), by bytes.
  private static func isSame(_ left: HTTPCookie, _ right: HTTPCookie) -> Bool {
    left.name.utf8.elementsEqual(right.name.utf8) && left.path.utf8.elementsEqual(right.path.utf8)
      && left.domain == right.domain
  }

  // MARK: Eviction

  /// Evicts from a site that has too many (5.7): what has expired, then what is not secure, then all else; each by its last access.
  private mutating func evict(from site: String, _ entries: [CookieRecord], now: Date) {
    let ranked = entries.sorted {
      let (left, right) = (Self.rank($0, now: now), Self.rank($1, now: now))
      return left == right ? $0.lastAccess < $1.lastAccess : left < right
    }
    let expired = ranked.prefix { $0.cookie.isExpired(at: now) }.count
    let surplus = max(expired, entries.count - Self.siteLimit)
    for record in ranked.prefix(surplus) { recordChange(.dropped(record)) }
    replace(site, by: Array(ranked.dropFirst(surplus)))
  }

  private static func rank(_ record: CookieRecord, now: Date) -> Int {
    if record.cookie.isExpired(at: now) { return 0 }
    return record.cookie.isSecure ? 2 : 1
  }

  /// Evicts where there are too many in all: no site has more than its share by now, so that the last access alone decides.
  private mutating func evictOldest(now: Date) {
    for (site, entries) in sites where entries.contains(where: { $0.cookie.isExpired(at: now) }) {
      for record in entries where record.cookie.isExpired(at: now) { recordChange(.dropped(record)) }
      replace(site, by: entries.filter { !$0.cookie.isExpired(at: now) })
    }
    guard count > Self.totalLimit else { return }
    let oldest = sites.values.joined().sorted { $0.lastAccess < $1.lastAccess }.prefix(count - Self.totalLimit)
    for record in oldest {
      let site = PublicSuffixes.site(of: record.cookie.bareDomain)
      recordChange(.dropped(record))
      replace(site, by: (sites[site] ?? []).filter { !Self.isSame($0.cookie, record.cookie) })
    }
  }

  private mutating func replace(_ site: String, by entries: [CookieRecord]) {
    count += entries.count - (sites[site]?.count ?? 0)
    sites[site] = entries.isEmpty ? nil : entries
  }

  private mutating func recordChange(_ change: CookieChange) {
    if recordsChanges { changes.append(change) }
  }

  /// A time that is later than all before, whatever the clock says.
  private mutating func stamp(_ now: Date) -> Int64 {
    let seconds = now.timeIntervalSince1970
    lastStamp = max(lastStamp &+ 1, Int64(min(max(seconds.isNaN ? 0 : seconds, 0), 1e11) * 1_000_000))
    return lastStamp
  }
}
