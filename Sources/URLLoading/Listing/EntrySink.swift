internal import URLLoadingBase

/// Keeps the entries of a listing for a reader that takes them batch by batch.
///
/// Mutable state: `state`, guarded by its lock.
final class EntrySink: Sendable {
  private struct State {
    var batches: [[URLDirectoryEntry]] = []
    var isEnded = false
    var error: (any Error)?
    var waiter: UnsafeContinuation<[URLDirectoryEntry]?, any Error>?
    weak var load: Load?
  }

  private let state = Locked(State())
  private static let largestJoin = 64

  /// Says whose entries they are.
  func attach(to load: Load) {
    state.withLock { $0.load = load }
  }

  /// Takes entries.
  /// - Returns: whether they wait for the reader.
  func write(_ entries: [URLDirectoryEntry]) -> Bool {
    let (waiter, waits) = state.withLock { state -> (UnsafeContinuation<[URLDirectoryEntry]?, any Error>?, Bool) in
      guard !state.isEnded, !entries.isEmpty else { return (nil, false) }
      if let waiter = state.waiter {
        state.waiter = nil
        return (waiter, false)
      }
      Self.append(entries, to: &state.batches)
      return (nil, true)
    }
    waiter?.resume(returning: entries)
    return waits
  }

  /// Small batches are joined: a source of single entries must not cost the reader a lock for each.
  private static func append(_ entries: [URLDirectoryEntry], to batches: inout [[URLDirectoryEntry]]) {
    if let last = batches.indices.last, batches[last].count + entries.count <= largestJoin {
      batches[last] += entries
    } else {
      batches.append(entries)
    }
  }

  /// Nothing more comes; what waits can still be read. Only the first end counts.
  func end(_ error: (any Error)?) {
    let waiter = state.withLock { state in
      guard !state.isEnded else { return nil as UnsafeContinuation<[URLDirectoryEntry]?, any Error>? }
      state.isEnded = true
      state.error = error
      defer { state.waiter = nil }
      return state.waiter
    }
    if let error { waiter?.resume(throwing: error) } else { waiter?.resume(returning: nil) }
  }

  /// The reader was cancelled: it takes nothing that waits, nor a good end that came already.
  func dropAll() {
    let dropped = state.withLock { state in
      if state.isEnded, state.error == nil { state.error = URLError(.cancelled) }
      defer { state.batches = [] }
      return state.batches
    }
    withExtendedLifetime(dropped) {}
  }

  /// Entries that follow, at least one; nil at the end. One reader at a time.
  func nextBatch() async throws -> [URLDirectoryEntry]? {
    try await withUnsafeThrowingContinuation { continuation in
      let (known, load) = state.withLock { state -> (Result<[URLDirectoryEntry]?, any Error>?, Load?) in
        if !state.batches.isEmpty { return (.success(state.batches.removeFirst()), state.load) }
        if state.isEnded { return (state.error.map { .failure($0) } ?? .success(nil), nil) }
        // A second reader would be a mistake of the caller; the first one then is told so.
        let forgotten = state.waiter
        state.waiter = continuation
        forgotten?.resume(throwing: URLError(.cancelled))
        return (nil, nil)
      }
      guard let known else { return }
      if case .success(let batch?) = known { load?.consumed(batch.reduce(0) { $0 + $1.cost }) }
      continuation.resume(with: known)
    }
  }
}
