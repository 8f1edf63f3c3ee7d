internal import URLLoadingBase

/// Hands the body to a data delegate, piece by piece or whole; or to what takes over, once the data task became a download or a stream.
///
/// Mutable state: `continuation`, guarded by its lock, which also keeps the bytes in order when another sink takes over.
final class DelegateSink: BodySink {
  private let delivery: Delivery
  private struct Continuation {
    var next: (any BodySink)?
    /// The load has ended before another sink took over: with this error, or none.
    var end: (any Error)??
  }
  private let continuation = Locked(Continuation())
  /// Collects the body; nil where the delegate gets it as it comes.
  private let whole: BufferSink?
  private let isIncremental: Bool

  /// - Parameter isIncremental: whether the delegate gets the body as it comes, rather than in one call when it is whole.
  init(delivery: Delivery, isIncremental: Bool = true) {
    self.delivery = delivery
    whole = isIncremental ? nil : BufferSink()
    self.isIncremental = isIncremental
  }

  var holdsBytes: Bool { next?.holdsBytes ?? isIncremental }

  /// The file that took over, if one did.
  var file: FileSink? { continuation.withLock { $0.next } as? FileSink }

  func begin(expectedLength: Int64) { whole?.begin(expectedLength: expectedLength) }

  func write(_ bytes: UnsafeRawBufferPointer) throws -> Bool {
    if let waits = try keep({ try whole?.write(bytes) }, { delivery.add(bytes) }) { return waits }
    return try next?.write(bytes) ?? false
  }

  func write(_ data: Data) throws -> Bool {
    if let waits = try keep({ try whole?.write(data) }, { delivery.add(data) }) { return waits }
    return try next?.write(data) ?? false
  }

  private var next: (any BodySink)? { continuation.withLock { $0.next } }

  /// Keeps bytes, unless another sink has taken over; that is not called under the lock.
  private func keep(_ collect: () throws -> Bool?, _ deliver: () -> Void) rethrows -> Bool? {
    try continuation.withLock { state in
      guard state.next == nil else { return nil }
      if let waits = try collect() { return waits }
      deliver()
      return true
    }
  }

  func end(_ error: (any Error)?) { _ = end(error) {} }

  func end(_ error: (any Error)?, then last: @escaping @Sendable () -> Void) -> Bool {
    let next = continuation.withLock { state in
      state.end = .some(error)
      // The body is whole. Under the lock: another sink that takes over finds the bytes in one place or in the other.
      if state.next == nil, error == nil, let data = whole?.take(), !data.isEmpty { delivery.add(data) }
      return state.next
    }
    return next?.end(error, then: last) ?? false
  }

  /// Writes the buffered bytes, and all later ones, to another sink.
  /// - Parameter counting: called with bytes that did not count as waiting, and may now.
  /// - Returns: bytes that are no longer buffered.
  func moveOn(to next: any BodySink, counting: (Int) -> Void = { _ in }) throws -> Int {
    var count = 0
    // Bytes that arrive meanwhile are buffered for the next round.
    while let waiting = takeWaiting(orContinueWith: next) {
      for (data, wasCounted) in waiting {
        if !wasCounted, next.holdsBytes { counting(data.count) }
        let waits = try next.write(data)
        if !waits, wasCounted || next.holdsBytes { count += data.count }
      }
    }
    if case .some(let error) = continuation.withLock({ $0.end }) { next.end(error) }
    return count
  }

  /// The buffered bytes, and whether they count against the limit; nil where there are none, and the other sink has taken over.
  private func takeWaiting(orContinueWith next: any BodySink) -> [(data: Data, wasCounted: Bool)]? {
    continuation.withLock { state in
      var waiting = delivery.takeWaitingData().map { (data: $0, wasCounted: true) }
      if let data = whole?.take(), !data.isEmpty { waiting.append((data, false)) }
      if waiting.isEmpty { state.next = next }
      return waiting.isEmpty ? nil : waiting
    }
  }
}
