/// The input of a stream task's connection, after `captureStreams()`.
final class CapturedInputStream: InputStream, StreamEventTarget {
  private let streams: CapturedStreams
  let state = CapturedStreamState()

  init(_ streams: CapturedStreams) {
    self.streams = streams
    super.init(data: Data())
    state.events.target(self)
  }

  override func open() { state.open() }
  override func close() { if state.close() { streams.channel.barrier(.closeRead) } }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
    guard state.status == .open, maxLength > 0 else { return state.status == .error ? -1 : 0 }
    switch streams.read(buffer, maxLength: maxLength) {
    case .success(let count):
      state.completed(atEnd: count == 0)
      return count
    case .failure(let error):
      state.failed(error)
      return -1
    }
  }

  // Nothing is buffered that could be lent.
  override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>
  ) -> Bool { false }

  override var hasBytesAvailable: Bool {
    state.status == .open && streams.channel.look { $0.availableBytes > 0 || $0.isAtEnd }
  }

  func tell() { state.tell(self, hasBytesAvailable ? .hasBytesAvailable : nil) }

  override var streamStatus: Stream.Status { state.status }
  override var streamError: (any Error)? { state.error }

  override var delegate: (any StreamDelegate)? {
    get { state.delegate }
    set { state.delegate = newValue }
  }

  override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { state.events.schedule(in: aRunLoop, mode) }
  override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { state.events.remove(from: aRunLoop, mode) }
  override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
  override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }
}
