internal import URLLoadingBase

/// The responses that a cache keeps in memory.
///
/// Mutable state: `entries`, guarded by its lock. What goes is released after it: a response may hold objects of the program.
final class MemoryTier: Sendable {
  private struct Stored: Sendable {
    let response: CachedURLResponse
    let date: Date
  }

  private let entries: Locked<RecentEntries<CacheKey, Stored>>

  init(capacity: Int) {
    entries = Locked(RecentEntries(limit: capacity))
  }

  /// In bytes.
  var capacity: Int {
    get { entries.withLock { $0.limit } }
    set { drop { $0.setLimit(newValue) } }
  }

  /// Bytes that the responses count as.
  var usage: Int { entries.withLock { $0.cost } }

  func response(for key: CacheKey) -> CachedURLResponse? {
    entries.withLock { $0.use(key)?.response }
  }

  func store(_ response: CachedURLResponse, for key: CacheKey, at date: Date) {
    let cost = Self.cost(of: response, key)
    drop { $0.store(Stored(response: response, date: date), for: key, cost: cost) }
  }

  func remove(_ key: CacheKey) {
    drop { $0.remove(key).map { [$0] } ?? [] }
  }

  func removeAll() {
    drop { $0.removeAll() }
  }

  /// Removes what was stored after a date.
  func removeAll(since date: Date) {
    drop { $0.removeAll { $0.date > date } }
  }

  private func drop(_ change: (inout RecentEntries<CacheKey, Stored>) -> [Stored]) {
    let gone = entries.withLock(change)
    withExtendedLifetime(gone) {}
  }

  /// What an entry takes besides its texts and its body: objects, and its place in tables.
  private static let overhead = 512

  private static func cost(of response: CachedURLResponse, _ key: CacheKey) -> Int {
    let fields = (response.response as? HTTPURLResponse)?.fields.fields ?? []
    return overhead + response.data.count + key.url.utf8.count
      + fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
  }
}
