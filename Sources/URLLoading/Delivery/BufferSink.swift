internal import URLLoadingBase

/// Collects the body in memory.
///
/// Mutable state: `buffer`, guarded by its lock.
final class BufferSink: BodySink {
  private let buffer: Locked<BodyBuffer>
  let holdsBytes = false

  /// - Parameter buffer: what has come already.
  init(_ buffer: consuming BodyBuffer = BodyBuffer()) {
    self.buffer = Locked(buffer, rank: .bufferSink)
  }

  deinit {
    buffer.withLock { $0.release() }
  }

  func begin(expectedLength: Int64) {
    buffer.withLock { $0.begin(expectedLength: expectedLength) }
  }

  /// Keeps a piece that, by its announced length, is the whole body.
  func write(_ data: Data) throws -> Bool {
    let isKept = buffer.withLock { $0.keep(data) }
    return isKept ? false : try data.withUnsafeBytes { try write($0) }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws -> Bool {
    guard buffer.withLock({ $0.append(bytes) }) else { throw POSIXError(.ENOMEM) }
    return false
  }

  /// The bytes, which leave the sink.
  func take() -> Data {
    buffer.withLock { $0.take() }
  }
}
