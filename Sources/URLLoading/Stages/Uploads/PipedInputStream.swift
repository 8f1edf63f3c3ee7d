internal import URLLoadingBase

/// The end of a ``BodyPipe`` that is read.
///
/// Mutable state: `state`, guarded by its lock: one thread at a time reads, and others may look at its status.
final class PipedInputStream: InputStream {
  /// Gives a stream of the same body from its beginning, for a target that has to ask for it again; nil where there is none.
  let again: @Sendable (@escaping @Sendable (InputStream?) -> Void) -> Void
  private let pipe: BodyPipe
  private let state = Locked<(status: Stream.Status, error: (any Error)?)>((.notOpen, nil))

  init(
    _ pipe: BodyPipe, again: @escaping @Sendable (@escaping @Sendable (InputStream?) -> Void) -> Void = { $0(nil) }
  ) {
    self.pipe = pipe
    self.again = again
    super.init(data: Data())
  }

  deinit {
    pipe.close()
  }

  override var streamStatus: Stream.Status { state.withLock { $0.status } }
  override var streamError: (any Error)? { state.withLock { $0.error } }
  override var hasBytesAvailable: Bool { streamStatus == .open && pipe.isReadable }

  override func open() { state.withLock { if $0.status == .notOpen { $0.status = .open } } }

  override func close() {
    state.withLock { $0.status = .closed }
    pipe.close()
  }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
    let status = streamStatus
    guard status == .open, length > 0 else { return status == .error ? -1 : 0 }
    do {
      let count = try pipe.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: length))
      if count == 0 { state.withLock { $0.status = .atEnd } }
      return count
    } catch {
      state.withLock { $0 = (.error, error) }
      return -1
    }
  }

  // Nothing is buffered that could be lent.
  override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>
  ) -> Bool { false }
}
