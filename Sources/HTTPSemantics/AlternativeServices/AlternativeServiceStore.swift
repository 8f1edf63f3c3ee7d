import Foundation

/// The alternatives of all origins, by RFC 7838. A value without locks or clocks.
package struct AlternativeServiceStore {
  private var facts: HostFacts<AlternativeService>

  package init(siteOf: @escaping @Sendable (String) -> String) {
    facts = HostFacts(siteOf: siteOf)
  }

  package var isEmpty: Bool { facts.isEmpty }

  var count: Int { facts.count }

  /// All services, in no order.
  package var services: [AlternativeService] { facts.all }

  /// The service of an origin; nil for none.
  package func service(for origin: HTTPOrigin, now: Date) -> AlternativeService? {
    facts[origin].flatMap { $0.isExpired(at: now) ? nil : $0 }
  }

  // MARK: Noting

  /// Records what an origin says in a field, which replaces what it has said before (section 3).
  /// - Parameters:
  ///   - value: the `Alt-Svc` fields of a response of the origin itself, joined by commas.
  ///   - isVerified: whether nothing was wrong with the connection's certificates, and nobody has overlooked it; else the field is ignored
  ///     (section 2.1).
  ///   - age: how old the response is, in seconds.
  /// - Returns: what has changed.
  package mutating func record(
    _ value: String, from origin: HTTPOrigin, isVerified: Bool, age: Int64 = 0, now: Date
  ) -> [HostFactChange<AlternativeService>] {
    guard isVerified, let field = AltSvcField(value) else { return [] }
    guard case .services(let services) = field,
      let service = AlternativeService(services, of: origin, age: max(0, age), now: now)
    else { return remove(origin) }
    if let known = facts[origin], known.endpoint == service.endpoint, known.persists == service.persists,
      service.addsNothing(to: known, now: now)
    {
      return []
    }
    return facts.note(service, now: now)
  }

  /// Forgets the service of an origin: its server has said that it does not speak for it (421, section 6).
  package mutating func remove(_ origin: HTTPOrigin) -> [HostFactChange<AlternativeService>] {
    facts.remove(origin)
  }

  /// Forgets what holds in the network before a change alone (section 2.2).
  package mutating func networkChanged() -> [HostFactChange<AlternativeService>] {
    facts.drop { !$0.persists }
  }

  /// Forgets all.
  package mutating func removeAll() { facts.removeAll() }

  // MARK: Beside a file

  /// Services that a file has. What has expired, or is beyond the limits, is dropped.
  package init(
    _ services: [AlternativeService], siteOf: @escaping @Sendable (String) -> String, now: Date,
    dropped: inout [HostFactChange<AlternativeService>]
  ) {
    facts = HostFacts(services, siteOf: siteOf, now: now, dropped: &dropped)
  }

  /// Takes over a change that the file has not seen.
  package mutating func apply(_ change: HostFactChange<AlternativeService>) { facts.apply(change) }
}
