internal import URLLoadingBase

/// Collects the body of an entry in memory, up to a limit.
///
/// Mutable state: `state`, guarded by its lock.
package final class MemoryCacheWriter: URLCacheWriter {
  private struct State {
    var body = Data()
    var isOver = false
  }

  private let state: Locked<State>
  private let limit: Int
  private let store: @Sendable (URLCacheEntry, Data, [URLCacheEntry]) -> Void

  /// - Parameter store: takes the entry with its body.
  package init(
    limit: Int, expectedLength: Int64, store: @escaping @Sendable (URLCacheEntry, Data, [URLCacheEntry]) -> Void
  ) {
    self.limit = limit
    self.store = store
    var state = State()
    // What a server says of a length is no reason to take memory.
    state.body.reserveCapacity(Int(clamping: max(0, min(expectedLength, 1 << 20))))
    self.state = Locked(state)
  }

  package func write(_ bytes: UnsafeRawBufferPointer) {
    state.withLock { state in
      guard !state.isOver else { return }
      guard state.body.count + bytes.count <= limit else {
        state = State(isOver: true)
        return
      }
      state.body.append(contentsOf: bytes)
    }
  }

  package func finish(_ entry: URLCacheEntry, replacing replaced: [URLCacheEntry]) {
    let body = state.withLock { state -> Data? in
      guard !state.isOver else { return nil }
      defer { state = State(isOver: true) }
      return state.body
    }
    guard let body, Int64(body.count) == entry.bodyLength else { return }
    store(entry, body, replaced)
  }

  package func cancel() { state.withLock { $0 = State(isOver: true) } }
}
