internal import Synchronization
internal import URLLoadingBase

/// Keeps responses in memory.
///
/// Mutable state: `entries`, guarded by its lock; `hasEntries`, atomic, and written under that lock alone. What goes is
/// released after it: a response may hold objects of the program.
final class MemoryCacheStore: URLCacheStore {
  private struct Stored: Sendable {
    var entry: URLCacheEntry
    let body: Data
    let date: Date

    var cost: Int { entry.overhead + body.count }
  }

  /// Entries of one key: more variants or parts are hardly ever asked for again, and each is looked at in turn.
  private static let variantLimit = 16

  private let entries: Locked<RecentEntries<String, [Stored]>>
  private let hasEntries = Atomic(false)

  init(capacity: Int) {
    entries = Locked(RecentEntries(limit: capacity))
  }

  var capacity: Int {
    get { entries.withLock { $0.limit } }
    set { drop { $0.setLimit(newValue) } }
  }

  var usage: Int { entries.withLock { $0.cost } }

  /// Whether nothing is stored: most loads ask no more.
  var isEmpty: Bool { !hasEntries.load(ordering: .acquiring) }

  func entries(for key: String) -> [URLCacheEntry] {
    entries.withLock { $0.use(key)?.map(\.entry) ?? [] }
  }

  func entries(for key: String, completionHandler: @escaping @Sendable ([URLCacheEntry]) -> Void) {
    completionHandler(entries(for: key))
  }

  func body(of entry: URLCacheEntry) -> Data? {
    entries.withLock { $0.use(entry.key)?.first { $0.entry.id == entry.id }?.body }
  }

  func body(of entry: URLCacheEntry, completionHandler: @escaping @Sendable (URLCacheBody?) -> Void) {
    completionHandler(body(of: entry).map { .data($0) })
  }

  func writer(for entry: URLCacheEntry, expectedLength: Int64) -> (any URLCacheWriter)? {
    let limit = capacity
    guard limit > 0, expectedLength <= limit else { return nil }
    return MemoryCacheWriter(limit: limit, expectedLength: expectedLength) { [self] entry, body, replaced in
      store(body, entry, replacing: replaced)
    }
  }

  /// Stores a body that is whole.
  func store(_ body: Data, _ entry: URLCacheEntry, replacing replaced: [URLCacheEntry], at date: Date = Date()) {
    change(entry.key) { variants in
      variants.removeAll { old in old.entry.id == entry.id || replaced.contains { $0.id == old.entry.id } }
      variants.append(Stored(entry: entry, body: body, date: date))
      if variants.count > Self.variantLimit { variants.removeFirst() }
    }
  }

  func replace(_ entry: URLCacheEntry) {
    change(entry.key) { variants in
      if let index = variants.firstIndex(where: { $0.entry.id == entry.id }) { variants[index].entry = entry }
    }
  }

  func remove(_ removed: [URLCacheEntry]) {
    for entry in removed { change(entry.key) { $0.removeAll { $0.entry.id == entry.id } } }
  }

  func removeAll(for key: String) {
    drop { $0.remove(key).map { [$0] } ?? [] }
  }

  func removeAll(since date: Date?) {
    drop { entries in
      entries.removeAll { variants in date.map { date in variants.contains { $0.date > date } } ?? true }
    }
  }

  private func change(_ key: String, _ body: (inout [Stored]) -> Void) {
    drop { entries in
      let old = entries.remove(key)
      var variants = old ?? []
      body(&variants)
      guard !variants.isEmpty else { return old.map { [$0] } ?? [] }
      return entries.store(variants, for: key, cost: variants.reduce(0) { $0 + $1.cost }) + (old.map { [$0] } ?? [])
    }
  }

  private func drop(_ change: (inout sending RecentEntries<String, [Stored]>) -> sending [[Stored]]) {
    let gone = entries.withLock { entries in
      let gone = change(&entries)
      hasEntries.store(entries.cost > 0, ordering: .releasing)
      return gone
    }
    withExtendedLifetime(gone) {}
  }
}
