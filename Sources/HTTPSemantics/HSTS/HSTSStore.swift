import Foundation

/// The policies of all hosts, by RFC 6797. A value without locks or clocks.
package struct HSTSStore {
  /// How many hosts it has at most.
  static let limit = 3000
  /// How many of one site: a site with many names does not push out the others.
  static let siteLimit = 180

  private struct Entry {
    let policy: HSTSPolicy
    /// The registrable domain.
    let site: String
  }

  /// By the names of their hosts.
  private var entries: [String: Entry] = [:]
  /// Gives the registrable domain of a host.
  private let siteOf: @Sendable (String) -> String

  package init(siteOf: @escaping @Sendable (String) -> String) {
    self.siteOf = siteOf
  }

  package var isEmpty: Bool { entries.isEmpty }

  var count: Int { entries.count }

  /// All policies, in no order.
  package var policies: [HSTSPolicy] { entries.values.map(\.policy) }

  // MARK: Asking

  /// The policy that a host is under: its own, else that of a domain above which includes subdomains (section 8.2). Nil for none.
  package func policy(for host: String, now: Date) -> HSTSPolicy? {
    guard !entries.isEmpty, let name = HSTSPolicy.canonicalName(of: host) else { return nil }
    var domain = name[...]
    while true {
      if let policy = entries[String(domain)]?.policy, !policy.isExpired(at: now),
        policy.includesSubdomains || domain.utf8.count == name.utf8.count
      {
        return policy
      }
      guard let dot = domain.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
      domain = domain[domain.utf8.index(after: dot)...]
    }
  }

  // MARK: Noting

  /// Records what a host says in a field.
  /// - Parameters:
  ///   - value: the first `Strict-Transport-Security` field of the response.
  ///   - host: as the request's URL has it.
  ///   - isSecure: whether the response came over TLS; else the field is ignored (section 8.1).
  ///   - isVerified: whether nothing was wrong with the connection's certificates, and nobody has overlooked it (the same section).
  /// - Returns: what has changed.
  package mutating func record(
    _ value: String, from host: String, isSecure: Bool, isVerified: Bool, now: Date
  ) -> [HSTSChange] {
    guard isSecure, isVerified, let field = StrictTransportSecurity(value),
      let name = HSTSPolicy.canonicalName(of: host)
    else { return [] }
    guard field.maxAge > 0 else {
      return entries.removeValue(forKey: name) == nil ? [] : [.removed(host: name)]
    }
    let policy = HSTSPolicy(
      host: name, includesSubdomains: field.includesSubdomains, expires: now + TimeInterval(field.maxAge), noted: now)
    if let known = entries[name]?.policy, known.includesSubdomains == policy.includesSubdomains {
      // Each response says it again, and each change is a write: what would add less than a hundredth is not noted.
      let added = policy.expires.timeIntervalSince(known.expires)
      if added >= 0, added < TimeInterval(field.maxAge) / 100, !known.isExpired(at: now) { return [] }
    }
    let isNew = entries[name] == nil
    let site = put(policy)
    return [.stored(policy)] + (isNew ? evict(site: site, sparing: name, now: now) : [])
  }

  /// Ends the policies of all hosts.
  package mutating func removeAll() { entries = [:] }

  // MARK: Beside a file

  /// Policies that a file has. What has expired, or is beyond the limits, is dropped.
  package init(
    _ policies: [HSTSPolicy], siteOf: @escaping @Sendable (String) -> String, now: Date, dropped: inout [HSTSChange]
  ) {
    self.init(siteOf: siteOf)
    for policy in policies {
      if policy.isExpired(at: now) { dropped.append(.dropped(policy)) } else { put(policy) }
    }
    if entries.count > Self.limit { dropped += evict(site: nil, sparing: nil, now: now) }
  }

  /// Takes over a change that the file has not seen.
  package mutating func apply(_ change: HSTSChange) {
    switch change {
    case .stored(let policy): put(policy)
    case .removed(let host): entries[host] = nil
    case .dropped(let policy):
      if let known = entries[policy.host]?.policy, known.noted <= policy.noted { entries[policy.host] = nil }
    }
  }

  @discardableResult
  private mutating func put(_ policy: HSTSPolicy) -> String {
    let site = entries[policy.host]?.site ?? siteOf(policy.host)
    entries[policy.host] = Entry(policy: policy, site: site)
    return site
  }

  /// Makes room: what has expired goes first, then what would expire first, of the site where that has too many.
  private mutating func evict(site: String?, sparing name: String?, now: Date) -> [HSTSChange] {
    let isSiteFull = site.map { site in entries.values.count { $0.site == site } > Self.siteLimit } ?? false
    guard entries.count > Self.limit || isSiteFull else { return [] }
    var gone = entries.values.filter { $0.policy.isExpired(at: now) }.map(\.policy)
    for policy in gone { entries[policy.host] = nil }
    func drop(_ excess: Int, where isCandidate: (Entry) -> Bool) {
      guard excess > 0 else { return }
      let candidates = entries.values.filter { $0.policy.host != name && isCandidate($0) }.map(\.policy)
      let first = candidates.sorted { ($0.expires, $0.host) < ($1.expires, $1.host) }.prefix(excess)
      for policy in first { entries[policy.host] = nil }
      gone += first
    }
    if let site { drop(entries.values.count { $0.site == site } - Self.siteLimit) { $0.site == site } }
    drop(entries.count - Self.limit) { _ in true }
    return gone.map { .dropped($0) }
  }
}
