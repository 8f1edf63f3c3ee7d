internal import URLLoadingBase

/// Stores a response while it is delivered: gives its body to the writers of the stores that take it. What is not finished is dropped with
/// this object.
///
/// Mutable state: `state`, guarded by its lock; writers guard theirs.
final class CacheRecorder: Sendable {
  private struct State {
    var length: Int64 = 0
    /// The body for whoever wants to see it whole; nil where nobody does, or it is too large.
    var collected: Data?
  }

  /// A store, and what it gets.
  struct Target: Sendable {
    let store: any URLCacheStore
    /// The head, whose length is that of what will come; nil where the store must not have it.
    let entry: URLCacheEntry?
    /// Nil where the store does not take the response. What that replaces goes all the same.
    let writer: (any URLCacheWriter)?
    /// Bytes that the body may have.
    let limit: Int
  }

  /// What goes when the response is stored, or is not.
  let replaced: [FoundEntry]
  private let entry: URLCacheEntry
  private let targets: [Target]
  private let limit: Int
  private let state: Locked<State>

  /// - Parameters:
  ///   - entry: the head; its length is that of what will come.
  ///   - replaced: what goes when it is stored.
  ///   - collects: how many bytes of the body are collected at most; 0 for none.
  init(_ entry: URLCacheEntry, targets: [Target], replacing replaced: [FoundEntry], collecting limit: Int) {
    self.entry = entry
    self.targets = targets
    self.replaced = replaced
    self.limit = limit
    state = Locked(State(collected: limit > 0 ? Data() : nil))
  }

  deinit {
    for target in targets { target.writer?.cancel() }
  }

  /// Takes the next bytes of the body: one call at a time.
  func write(_ bytes: UnsafeRawBufferPointer) {
    let length = state.withLock { state in
      state.length += Int64(bytes.count)
      if let count = state.collected?.count {
        if count + bytes.count <= limit { state.collected?.append(contentsOf: bytes) } else { state.collected = nil }
      }
      return state.length
    }
    for target in targets {
      if length <= target.limit { target.writer?.write(bytes) } else { target.writer?.cancel() }
    }
  }

  /// Whether what was to be collected is more than that.
  var hasOverflowed: Bool { limit > 0 && state.withLock { $0.collected == nil } }

  /// The response as a delegate is asked about it; nil where it was not collected.
  var proposal: CachedURLResponse? {
    guard let body = state.withLock({ $0.collected }) else { return nil }
    return CachedURLResponse(whole(entry), body)
  }

  private func whole(_ entry: URLCacheEntry) -> URLCacheEntry {
    var entry = entry
    entry.bodyLength = state.withLock { $0.length }
    return entry
  }

  /// What is being stored.
  var response: URLResponse { entry.response }

  /// The body is whole: the entry appears in the stores, and what it replaces goes in each of them.
  /// - Returns: whether any store has taken it.
  func finish() -> Bool {
    let entries = replaced.map(\.entry)
    var isStored = false
    for target in targets {
      if let writer = target.writer, let entry = target.entry.map(whole), entry.bodyLength <= target.limit {
        writer.finish(entry, replacing: entries)
        isStored = true
      } else if !entries.isEmpty {
        target.store.remove(entries)
      }
    }
    return isStored
  }
}
