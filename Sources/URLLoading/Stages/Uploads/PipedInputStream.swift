/// The end of a ``BodyPipe`` that is read.
///
/// Mutable state: as of every stream, used by one thread at a time.
final class PipedInputStream: InputStream {
  /// Gives a stream of the same body from its beginning, for a target that has to ask for it again; nil where there is none.
  let again: @Sendable (@escaping @Sendable (InputStream?) -> Void) -> Void
  private let pipe: BodyPipe
  private var status = Stream.Status.notOpen
  private var error: (any Error)?

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

  override var streamStatus: Stream.Status { status }
  override var streamError: (any Error)? { error }
  override var hasBytesAvailable: Bool { status == .open && pipe.isReadable }

  override func open() { if status == .notOpen { status = .open } }

  override func close() {
    status = .closed
    pipe.close()
  }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
    guard status == .open, length > 0 else { return status == .error ? -1 : 0 }
    do {
      let count = try pipe.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: length))
      if count == 0 { status = .atEnd }
      return count
    } catch {
      self.error = error
      status = .error
      return -1
    }
  }

  // Nothing is buffered that could be lent.
  override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>
  ) -> Bool { false }
}
