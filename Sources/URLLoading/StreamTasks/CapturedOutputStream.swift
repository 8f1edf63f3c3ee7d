/// The output of a stream task's connection, after `captureStreams()`.
final class CapturedOutputStream: OutputStream, StreamEventTarget {
  private let streams: CapturedStreams
  let state = CapturedStreamState()

  init(_ streams: CapturedStreams) {
    self.streams = streams
    super.init(toMemory: ())
    state.events.target(self)
  }

  required init(toMemory: ()) {
    streams = CapturedStreams(StreamChannel(url: nil, isWritable: false))
    super.init(toMemory: ())
  }

  override func open() { state.open() }
  override func close() { if state.close() { streams.channel.barrier(.closeWrite) } }

  override func write(_ buffer: UnsafePointer<UInt8>, maxLength: Int) -> Int {
    guard state.status == .open, maxLength > 0 else { return state.status == .error ? -1 : 0 }
    if let error = streams.write(Data(bytes: buffer, count: maxLength)) {
      state.failed(error)
      return -1
    }
    state.completed()
    return maxLength
  }

  override var hasSpaceAvailable: Bool { state.status == .open && streams.channel.look { $0.takesWrites } }

  func tell() { state.tell(self, hasSpaceAvailable ? .hasSpaceAvailable : nil) }

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
