internal import URLLoadingBase

/// Buffers what a load delivers, piece by piece, for one asynchronous reader.
///
/// It has no limit of its own: the load counts what ``write(_:)`` buffers and what ``BufferedSource/consumed(_:)`` takes away,
/// and pauses its sender.
///
/// Mutable state: `state`, guarded by its lock.
final class StreamBuffer<Piece: RangeReplaceableCollection & Sendable>: Sendable {
  private struct State {
    var pieces: [Piece] = []
    var isEnded = false
    var error: (any Error)?
    var reader: UnsafeContinuation<Piece?, any Error>?
    weak var source: (any BufferedSource)?
  }

  private let state = Locked(State())
  private let largestJoin: Int
  private let cost: @Sendable (Piece) -> Int

  /// - Parameters:
  ///   - largestJoin: pieces are joined up to so many elements, so that small ones cost the reader little.
  ///   - cost: the bytes of a piece that count against the load's limit.
  init(largestJoin: Int, cost: @escaping @Sendable (Piece) -> Int) {
    self.largestJoin = largestJoin
    self.cost = cost
  }

  /// Sets whose ``BufferedSource/consumed(_:)`` gets what the reader takes.
  func attach(to source: any BufferedSource) {
    state.withLock { $0.source = source }
  }

  /// Hands a piece to the reader if it waits, else buffers it.
  /// - Returns: whether it is buffered.
  func write(_ piece: Piece) -> Bool {
    let (reader, isBuffered) = state.withLock { state -> (UnsafeContinuation<Piece?, any Error>?, Bool) in
      guard !state.isEnded, !piece.isEmpty else { return (nil, false) }
      if let reader = state.reader.take() { return (reader, false) }
      if let last = state.pieces.indices.last, state.pieces[last].count + piece.count <= largestJoin {
        state.pieces[last].append(contentsOf: piece)
      } else {
        state.pieces.append(piece)
      }
      return (nil, true)
    }
    reader?.resume(returning: piece)
    return isBuffered
  }

  /// Whether nothing more comes.
  var hasEnded: Bool { state.withLock { $0.isEnded } }

  /// Nothing more comes; what is buffered can still be read. Only the first end counts.
  func end(_ error: (any Error)?) {
    let reader = state.withLock { state in
      if !state.isEnded { state.error = error }
      state.isEnded = true
      return state.reader.take()
    }
    if let error { reader?.resume(throwing: error) } else { reader?.resume(returning: nil) }
  }

  /// Drops what is buffered, for a reader that was cancelled. A good end that came already becomes `URLError.cancelled`.
  func cancelReading() {
    let dropped = state.withLock { state in
      if state.isEnded, state.error == nil { state.error = URLError(.cancelled) }
      defer { state.pieces = [] }
      return state.pieces
    }
    withExtendedLifetime(dropped) {}
  }

  /// The next piece, never an empty one; nil at the end. One reader at a time: a second one ends the first with `URLError.cancelled`.
  func next() async throws -> Piece? {
    try await withUnsafeThrowingContinuation { continuation in
      let (known, source, forgotten) = state.withLock {
        state -> (Result<Piece?, any Error>?, (any BufferedSource)?, UnsafeContinuation<Piece?, any Error>?) in
        if !state.pieces.isEmpty { return (.success(state.pieces.removeFirst()), state.source, nil) }
        if state.isEnded { return (state.error.map { .failure($0) } ?? .success(nil), nil, nil) }
        defer { state.reader = continuation }
        return (nil, nil, state.reader)
      }
      forgotten?.resume(throwing: URLError(.cancelled))
      guard let known else { return }
      if case .success(let piece?) = known { source?.consumed(cost(piece)) }
      continuation.resume(with: known)
    }
  }
}
