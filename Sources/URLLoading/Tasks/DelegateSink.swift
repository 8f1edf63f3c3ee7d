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
  let holdsBytes: Bool

  /// - Parameter isIncremental: whether the delegate gets the body as it comes, rather than in one call when it is whole.
  init(delivery: Delivery, isIncremental: Bool = true) {
    self.delivery = delivery
    whole = isIncremental ? nil : BufferSink()
    holdsBytes = isIncremental
  }

  /// The file that took over, if one did.
  var file: FileSink? { continuation.withLock { $0.next } as? FileSink }

  func begin(expectedLength: Int64) { whole?.begin(expectedLength: expectedLength) }

  func write(_ bytes: UnsafeRawBufferPointer) throws -> Bool {
    try continuation.withLock {
      if let next = $0.next { return try next.write(bytes) }
      if let whole { return try whole.write(bytes) }
      delivery.add(bytes)
      return true
    }
  }

  func write(_ data: Data) throws -> Bool {
    try continuation.withLock {
      if let next = $0.next { return try next.write(data) }
      if let whole { return try whole.write(data) }
      delivery.add(data)
      return true
    }
  }

  func end(_ error: (any Error)?) {
    let next = continuation.withLock { state in
      state.end = .some(error)
      return state.next
    }
    if let next { return next.end(error) }
    if error == nil { deliverWhole() }
  }

  /// The body is whole, or a part of a multipart body: gives the delegate what was collected. Not called under a load's lock.
  func deliverWhole() {
    guard let data = whole?.take(), !data.isEmpty else { return }
    delivery.add(data)
  }

  /// Writes what waits, and everything from now on, to another sink.
  /// - Returns: bytes that no longer wait; fewer than none where more do.
  func moveOn(to next: any BodySink) throws -> Int {
    let (count, end) = try continuation.withLock { state in
      var count = 0
      for data in delivery.takeWaitingData() where try !next.write(data) { count += data.count }
      if let data = whole?.take(), try next.write(data) { count -= data.count }
      state.next = next
      return (count, state.end)
    }
    if let end { next.end(end) }
    return count
  }
}
