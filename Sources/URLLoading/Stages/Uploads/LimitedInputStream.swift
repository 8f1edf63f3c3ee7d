/// The first bytes of another stream.
///
/// Mutable state: as of every stream, used by one thread at a time.
final class LimitedInputStream: InputStream {
  private let whole: InputStream
  private var rest: Int64

  /// - Parameter length: how many bytes there are at most.
  init(_ whole: InputStream, length: Int64) {
    self.whole = whole
    rest = length
    super.init(data: Data())
  }

  override var streamStatus: Stream.Status {
    rest == 0 && whole.streamStatus == .open ? .atEnd : whole.streamStatus
  }

  override var streamError: (any Error)? { whole.streamError }
  override var hasBytesAvailable: Bool { rest > 0 && whole.hasBytesAvailable }

  override func open() { whole.open() }
  override func close() { whole.close() }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
    guard rest > 0 else { return 0 }
    let count = whole.read(buffer, maxLength: Int(min(Int64(length), rest)))
    if count > 0 { rest -= Int64(count) }
    return count
  }

  // Nothing is buffered that could be lent.
  override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>
  ) -> Bool { false }
}
