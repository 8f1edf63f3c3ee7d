import Foundation

/// Facts about hosts, one a key: so many in all at most, and so many of one site. A value without locks or clocks.
struct HostFacts<Fact: HostFact> {
  /// How many it has at most.
  static var limit: Int { 3000 }
  /// How many of one site: a site with many names does not push out the others.
  static var siteLimit: Int { 180 }

  private struct Entry {
    let fact: Fact
    /// The registrable domain.
    let site: String
  }

  private var entries: [Fact.Key: Entry] = [:]
  /// Gives the registrable domain of a host.
  private let siteOf: @Sendable (String) -> String

  init(siteOf: @escaping @Sendable (String) -> String) {
    self.siteOf = siteOf
  }

  /// Facts of a file.
  /// - Parameter dropped: takes what has expired, or is beyond the limits.
  init(
    _ facts: [Fact], siteOf: @escaping @Sendable (String) -> String, now: Date, dropped: inout [HostFactChange<Fact>]
  ) {
    self.init(siteOf: siteOf)
    for fact in facts {
      if fact.isExpired(at: now) { dropped.append(.dropped(fact)) } else { put(fact) }
    }
    if entries.count > Self.limit { dropped += evict(site: nil, excluding: nil, now: now) }
  }

  var isEmpty: Bool { entries.isEmpty }

  var count: Int { entries.count }

  /// All facts, in no order.
  var all: [Fact] { entries.values.map(\.fact) }

  subscript(key: Fact.Key) -> Fact? { entries[key]?.fact }

  /// Notes a fact, and makes room for it.
  mutating func note(_ fact: Fact, now: Date) -> [HostFactChange<Fact>] {
    let isNew = entries[fact.key] == nil
    let site = put(fact)
    return [.stored(fact)] + (isNew ? evict(site: site, excluding: fact.key, now: now) : [])
  }

  /// Forgets what was noted of a key.
  mutating func remove(_ key: Fact.Key) -> [HostFactChange<Fact>] {
    entries.removeValue(forKey: key) == nil ? [] : [.removed(key)]
  }

  /// Forgets some.
  mutating func drop(where isDropped: (Fact) -> Bool) -> [HostFactChange<Fact>] {
    let gone = all.filter(isDropped)
    for fact in gone { entries[fact.key] = nil }
    return gone.map { .dropped($0) }
  }

  mutating func removeAll() { entries = [:] }

  /// Takes over a change that a file has not seen.
  mutating func apply(_ change: HostFactChange<Fact>) {
    switch change {
    case .stored(let fact): put(fact)
    case .removed(let key): entries[key] = nil
    case .dropped(let fact):
      if let known = entries[fact.key]?.fact, known.noted <= fact.noted { entries[fact.key] = nil }
    }
  }

  @discardableResult
  private mutating func put(_ fact: Fact) -> String {
    let site = entries[fact.key]?.site ?? siteOf(fact.host)
    entries[fact.key] = Entry(fact: fact, site: site)
    return site
  }

  /// Makes room: what has expired goes first, then what would expire first, of the site where that has too many.
  private mutating func evict(site: String?, excluding key: Fact.Key?, now: Date) -> [HostFactChange<Fact>] {
    let isSiteFull = site.map { site in entries.values.count { $0.site == site } > Self.siteLimit } ?? false
    guard entries.count > Self.limit || isSiteFull else { return [] }
    var gone = drop { $0.isExpired(at: now) }
    func evict(_ excess: Int, where isCandidate: (Entry) -> Bool) {
      guard excess > 0 else { return }
      let candidates = entries.values.filter { $0.fact.key != key && isCandidate($0) }.map(\.fact)
      let first = candidates.sorted { ($0.expires, $0.key) < ($1.expires, $1.key) }.prefix(excess)
      for fact in first { entries[fact.key] = nil }
      gone += first.map { .dropped($0) }
    }
    if let site { evict(entries.values.count { $0.site == site } - Self.siteLimit) { $0.site == site } }
    evict(entries.count - Self.limit) { _ in true }
    return gone
  }
}
