internal import URLLoadingBase

/// The sink of a load whose body nobody reads, such as a revalidation for the cache.
///
/// Mutable state: `state`, guarded by its lock.
final class DiscardingSink: BodySink {
  private struct State {
    var count = 0
    var atEnd: (@Sendable () -> Void)?
  }

  private let limit: Int
  private let state: Locked<State>

  /// - Parameters:
  ///   - limit: in bytes; a longer body ends the load.
  ///   - atEnd: called once.
  init(limit: Int, atEnd: @escaping @Sendable () -> Void) {
    self.limit = limit
    state = Locked(State(atEnd: atEnd))
  }

  var holdsBytes: Bool { false }

  func write(_ bytes: UnsafeRawBufferPointer) throws -> Bool {
    let count = state.withLock { state in
      state.count += bytes.count
      return state.count
    }
    guard count <= limit else { throw URLError(.dataLengthExceedsMaximum) }
    return false
  }

  func end(_ error: (any Error)?) { state.withLock { $0.atEnd.take() }?() }
}
