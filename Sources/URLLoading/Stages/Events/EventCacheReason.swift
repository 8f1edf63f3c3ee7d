extension URLSession {
  /// Why the cache did what it did.
  public struct EventCacheReason: Hashable, Sendable, CustomStringConvertible {
    /// For machines, and the same in every version: `fresh`, `stale`, `no-store` …
    public let name: String
    /// For people: `it is fresh`.
    public let description: String

    init(_ reason: CacheReason) {
      (name, description) = (reason.rawValue, reason.description)
    }

    init(_ refusal: CacheRefusal) {
      (name, description) = (refusal.rawValue, refusal.description)
    }

    private init(_ name: String, _ description: String) {
      (self.name, self.description) = (name, description)
    }

    /// RFC 5861, section 4.
    static let staleIfError = EventCacheReason(
      "stale-if-error", "it is stale, and may be used because the source failed")
    /// RFC 9111, section 3.4.
    static let completed = EventCacheReason("completed", "the bytes that were missing have come")
    /// Classes without rules of freshness.
    static let classDecides = EventCacheReason(
      "class-decides", "the protocol class is given it, and decides whether it is valid")
    static let tooLarge = EventCacheReason("too-large", "it takes more than a twentieth of what the cache may take")
    static let delegate = EventCacheReason("delegate", "the delegate does not want it stored")
  }
}
