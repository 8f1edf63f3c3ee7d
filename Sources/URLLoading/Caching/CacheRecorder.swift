internal import URLLoadingBase

/// Stores a response while it is delivered: gives its body to the writers of the stores that take it. What is not finished is dropped with
/// this object.
///
/// Mutable state: `state`, guarded by its lock; writers guard theirs.
final class CacheRecorder: Sendable {
  private struct State {
    var length: Int64 = 0
    /// The body for a delegate or a cache of the program's own that want to see it whole; nil where nobody does, or it is too large.
    var collected: Data?
    /// The writers that have not got too much.
    var writers: [Writer]
  }

  /// A writer, and how much it takes.
  struct Writer: Sendable {
    let writer: any URLCacheWriter
    let limit: Int
  }

  private let entry: URLCacheEntry
  private let replaced: [URLCacheEntry]
  private let limit: Int
  private let state: Locked<State>

  /// - Parameters:
  ///   - entry: the head; its length is that of what will come.
  ///   - replaced: what goes when it is stored.
  ///   - collects: how many bytes of the body are collected at most; 0 for none.
  init(_ entry: URLCacheEntry, writers: [Writer], replacing replaced: [URLCacheEntry], collecting limit: Int) {
    self.entry = entry
    self.replaced = replaced
    self.limit = limit
    state = Locked(State(collected: limit > 0 ? Data() : nil, writers: writers))
  }

  deinit { cancel() }

  func write(_ bytes: UnsafeRawBufferPointer) {
    let (writers, full) = state.withLock { state in
      state.length += Int64(bytes.count)
      if let count = state.collected?.count {
        if count + bytes.count <= limit { state.collected?.append(contentsOf: bytes) } else { state.collected = nil }
      }
      let full = state.writers.filter { $0.limit < state.length }
      if !full.isEmpty { state.writers.removeAll { $0.limit < state.length } }
      return (state.writers, full)
    }
    for full in full { full.writer.cancel() }
    for writer in writers { writer.writer.write(bytes) }
  }

  /// The response as a delegate is asked about it; nil where it was not collected.
  var proposal: CachedURLResponse? {
    guard let body = state.withLock({ $0.collected }) else { return nil }
    return CachedURLResponse(whole, body)
  }

  private var whole: URLCacheEntry {
    var entry = entry
    entry.bodyLength = state.withLock { $0.length }
    return entry
  }

  /// What is being stored.
  var response: URLResponse { entry.response }

  /// The body is whole: the entry appears in the stores.
  func finish() {
    let entry = whole
    for writer in state.withLock({ $0.writers }) { writer.writer.finish(entry, replacing: replaced) }
  }

  func cancel() {
    for writer in state.withLock({ $0.writers }) { writer.writer.cancel() }
  }
}
