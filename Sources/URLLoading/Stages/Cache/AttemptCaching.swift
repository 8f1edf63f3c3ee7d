internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

/// What an attempt has to do with the cache.
///
/// It is passed on at each step of a load, so that it is two references, and one of them nil where nothing was found.
struct AttemptCaching: Sendable {
  /// What was looked up.
  private final class Subject: Sendable {
    /// The request in canonical form, without the fields that were added for the cache.
    let canonical: URLRequest
    let url: URL
    let key: CacheKey
    let requestDate: Date

    init(_ canonical: URLRequest, _ url: URL, _ key: CacheKey, _ requestDate: Date) {
      (self.canonical, self.url, self.key, self.requestDate) = (canonical, url, key, requestDate)
    }
  }

  /// What the caches have, and what follows from it.
  struct Findings: Sendable {
    /// The fields that were set to validate or to complete what is stored.
    var conditions: [Condition] = []
    /// All that was found.
    var found: [FoundEntry] = []
    /// Which of that is being validated.
    var validating: [FoundEntry] = []
    /// What may answer if the attempt fails.
    var fallback: FoundEntry?
    /// Whether the store was asked whether another one loads the same.
    var hasAskedForClaim = false
    /// The claim on the key in a shared store, for which other loads of it wait.
    var claim: URLCacheClaim?
    /// What lacks the bytes that are asked for.
    var completing: FoundEntry?
  }

  private let subject: Subject
  @Boxed private var findings: Findings?

  /// Nil for a request without a URL.
  init?(_ request: URLRequest, requestDate: Date = Date()) {
    guard let url = request.url, let key = CacheKey(canonical: request, method: "GET") else { return nil }
    subject = Subject(request, url, key, requestDate)
  }

  var key: CacheKey { subject.key }
  /// When the request was sent.
  var requestDate: Date { subject.requestDate }
  private var canonical: URLRequest { subject.canonical }

  // See `Findings`.
  var conditions: [Condition] { findings?.conditions ?? [] }
  var found: [FoundEntry] { findings?.found ?? [] }
  var validating: [FoundEntry] { findings?.validating ?? [] }
  var fallback: FoundEntry? { findings?.fallback }
  var hasAskedForClaim: Bool { findings?.hasAskedForClaim ?? false }
  var claim: URLCacheClaim? { findings?.claim }
  var completing: FoundEntry? { findings?.completing }

  /// Changes what was found. Allocates.
  mutating func update(_ change: (inout Findings) -> Void) {
    var changed = findings ?? Findings()
    change(&changed)
    findings = changed
  }

  /// The request as the rules see it. Made anew each time: most loads that do not use the cache never need it.
  var request: CacheRequest { CacheRequest(canonical, url: subject.url) }

  /// Takes what another store has, beside what was found. Of an entry that both have the newer one counts.
  mutating func add(_ entries: [URLCacheEntry], of store: any URLCacheStore) {
    var found = found.filter { $0.store !== store }
    for entry in entries {
      guard let index = found.firstIndex(where: { $0.entry.id == entry.id }) else {
        found.append(FoundEntry(entry: entry, store: store))
        continue
      }
      // Another process may have had it validated.
      if found[index].entry.responseDate < entry.responseDate {
        found[index] = FoundEntry(entry: entry, store: store)
      }
    }
    update { $0.found = found }
  }

  /// What the rules say about what was found.
  func lookup(at now: Date) -> CacheLookup {
    CacheRules(for: found).lookup(request, among: found.compactMap(\.entry.head), at: now)
  }

  /// Whether what was found so far may answer as it is.
  var isAnswered: Bool {
    guard !found.isEmpty, case .answer = lookup(at: Date()) else { return false }
    return true
  }

  /// Whether nothing that is stored plays a part, and nothing will be changed but by storing the response.
  var isIdle: Bool { found.isEmpty && claim == nil && canonical.httpMethod == "GET" }

  /// Whether the load may wait for another one: one that would use what is stored.
  var mayBeClaimed: Bool {
    switch canonical.cachePolicy {
    case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData, .returnCacheDataDontLoad: false
    case .useProtocolCachePolicy, .returnCacheDataElseLoad, .reloadRevalidatingCacheData:
      canonical.httpMethod == "GET" && !Self.personalFields.contains { canonical.fields.contains($0) }
    }
  }

  /// With these an answer is for this request alone, or may be, and says nothing about what others get.
  private static let personalFields = [
    "Authorization", "Cache-Control", "If-Match", "If-Modified-Since", "If-None-Match", "If-Unmodified-Since", "Range",
  ]

  /// Whether the cache may be the only one to answer.
  var mayForbidLoading: Bool {
    canonical.cachePolicy == .returnCacheDataDontLoad || canonical.fields.contains("Cache-Control")
  }

  /// A field that was set on the request, and the value that the program had given to it.
  struct Condition: Sendable {
    let name: String
    let own: String?
  }

  /// Sets a field for the cache.
  mutating func set(_ field: (name: String, value: String), on request: inout URLRequest) {
    let own = request.value(forHTTPHeaderField: field.name)
    update { $0.conditions.append(Condition(name: field.name, own: own)) }
    request.setValue(field.value, forHTTPHeaderField: field.name)
  }

  /// Takes back what was set.
  func removeConditions(from request: inout URLRequest) {
    for condition in conditions.reversed() { request.setValue(condition.own, forHTTPHeaderField: condition.name) }
  }
}

extension CacheRules {
  /// Those of the cache that the entries come from.
  init(for found: [FoundEntry]) {
    self.init(kind: found.contains { $0.store.isShared } ? .shared : .private)
  }
}

/// An entry, and the store that has it.
struct FoundEntry: Sendable {
  var entry: URLCacheEntry
  let store: any URLCacheStore
}
