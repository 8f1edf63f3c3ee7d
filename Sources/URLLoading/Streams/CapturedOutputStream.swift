internal import URLLoadingBase

/// What a stream task's peer gets.
///
/// Mutable state: `state`, guarded by its lock.
final class CapturedOutputStream: OutputStream, StreamEventTarget {
  private struct State {
    var status = Stream.Status.notOpen
    var error: (any Error)?
    weak var delegate: (any StreamDelegate)?
    var hasToldOpen = false
    var hasToldEnd = false
  }

  private let streams: CapturedStreams
  private let state = Locked(Carried(content: State()))
  /// Tells the delegate.
  let events = StreamEvents()

  // Safe: guarded by the lock that it is in.
  private struct Carried: @unchecked Sendable { var content: State }

  init(_ streams: CapturedStreams) {
    self.streams = streams
    super.init(toMemory: ())
    events.target(self)
  }

  required init(toMemory: ()) {
    streams = CapturedStreams(StreamChannel(url: nil, isWritable: false))
    super.init(toMemory: ())
  }

  override func open() {
    state.withLock { if $0.content.status == .notOpen { $0.content.status = .open } }
    events.notify()
  }

  override func close() {
    let wasOpen = state.withLock { state in
      defer { state.content.status = .closed }
      return state.content.status != .closed
    }
    if wasOpen { streams.channel.barrier(.closeWrite) }
  }

  override func write(_ buffer: UnsafePointer<UInt8>, maxLength: Int) -> Int {
    guard state.withLock({ $0.content.status == .open }), maxLength > 0 else { return streamStatus == .error ? -1 : 0 }
    guard let error = streams.write(Data(bytes: buffer, count: maxLength)) else {
      events.notify()
      return maxLength
    }
    state.withLock { state in
      state.content.status = .error
      state.content.error = error
    }
    events.notify()
    return -1
  }

  override var hasSpaceAvailable: Bool { streamStatus == .open && streams.channel.look { $0.takesWrites } }
  override var streamStatus: Stream.Status { state.withLock { $0.content.status } }
  override var streamError: (any Error)? { state.withLock { $0.content.error } }

  override var delegate: (any StreamDelegate)? {
    get { state.withLock { $0.content.delegate } }
    set { state.withLock { $0.content.delegate = newValue } }
  }

  override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { events.schedule(in: aRunLoop, mode) }
  override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { events.remove(from: aRunLoop, mode) }
  override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
  override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

  func tell() {
    guard let delegate else { return }
    let opens = state.withLock { state in
      guard state.content.status != .notOpen, !state.content.hasToldOpen else { return false }
      state.content.hasToldOpen = true
      return true
    }
    if opens { delegate.stream(self, handle: .openCompleted) }
    switch streamStatus {
    case .open where hasSpaceAvailable: delegate.stream(self, handle: .hasSpaceAvailable)
    case .error:
      let isFirst = state.withLock { state in
        defer { state.content.hasToldEnd = true }
        return !state.content.hasToldEnd
      }
      if isFirst { delegate.stream(self, handle: .errorOccurred) }
    default: break
    }
  }
}
