import Foundation

/// The policies of all hosts, by RFC 6797. A value without locks or clocks.
package struct HSTSStore {
  private var facts: HostFacts<HSTSPolicy>

  package init(siteOf: @escaping @Sendable (String) -> String) {
    facts = HostFacts(siteOf: siteOf)
  }

  package var isEmpty: Bool { facts.isEmpty }

  var count: Int { facts.count }

  /// All policies, in no order.
  package var policies: [HSTSPolicy] { facts.all }

  // MARK: Asking

  /// The policy that a host is under: its own, else that of a domain above which includes subdomains (section 8.2). Nil for none.
  package func policy(for host: String, now: Date) -> HSTSPolicy? {
    guard !facts.isEmpty, let name = HSTSPolicy.canonicalName(of: host) else { return nil }
    var domain = name[...]
    while true {
      if let policy = facts[String(domain)], !policy.isExpired(at: now),
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
  ) -> [HostFactChange<HSTSPolicy>] {
    guard isSecure, isVerified, let field = StrictTransportSecurity(value),
      let name = HSTSPolicy.canonicalName(of: host)
    else { return [] }
    guard field.maxAge > 0 else { return facts.remove(name) }
    let policy = HSTSPolicy(
      host: name, includesSubdomains: field.includesSubdomains, expires: now + TimeInterval(field.maxAge), noted: now)
    if let known = facts[name], known.includesSubdomains == policy.includesSubdomains,
      policy.addsNothing(to: known, now: now)
    {
      return []
    }
    return facts.note(policy, now: now)
  }

  /// Ends the policies of all hosts.
  package mutating func removeAll() { facts.removeAll() }

  // MARK: Beside a file

  /// Policies that a file has. What has expired, or is beyond the limits, is dropped.
  package init(
    _ policies: [HSTSPolicy], siteOf: @escaping @Sendable (String) -> String, now: Date,
    dropped: inout [HostFactChange<HSTSPolicy>]
  ) {
    facts = HostFacts(policies, siteOf: siteOf, now: now, dropped: &dropped)
  }

  /// Takes over a change that the file has not seen.
  package mutating func apply(_ change: HostFactChange<HSTSPolicy>) { facts.apply(change) }
}
