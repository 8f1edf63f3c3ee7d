internal import URLLoadingBase

/// What a stream task's peer sends.
///
/// Mutable state: `state`, guarded by its lock.
final class CapturedInputStream: InputStream, StreamEventTarget {
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
    super.init(data: Data())
    events.target(self)
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
    if wasOpen { streams.channel.barrier(.closeRead) }
  }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
    guard state.withLock({ $0.content.status == .open }), maxLength > 0 else { return streamStatus == .error ? -1 : 0 }
    switch streams.read(buffer, maxLength: maxLength) {
    case .success(0):
      state.withLock { $0.content.status = .atEnd }
      events.notify()
      return 0
    case .success(let count):
      events.notify()
      return count
    case .failure(let error):
      state.withLock { state in
        state.content.status = .error
        state.content.error = error
      }
      events.notify()
      return -1
    }
  }

  override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>
  ) -> Bool { false }

  override var hasBytesAvailable: Bool {
    streamStatus == .open && streams.channel.look { $0.availableBytes > 0 || $0.isAtEnd }
  }

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
    case .open where hasBytesAvailable: delegate.stream(self, handle: .hasBytesAvailable)
    case .atEnd, .error:
      let isFirst = state.withLock { state in
        defer { state.content.hasToldEnd = true }
        return !state.content.hasToldEnd
      }
      if isFirst { delegate.stream(self, handle: streamStatus == .error ? .errorOccurred : .endEncountered) }
    default: break
    }
  }
}
