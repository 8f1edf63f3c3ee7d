/// The output of a task on a full-duplex connection, such as a WebSocket's: the instance pulls bytes as its connection accepts them
/// (back-pressure).
///
/// An instance gets it with its demand (``URLProtocolDemand/upstream``), where its class declares ``URLProtocol/Capabilities/duplex``. It
/// sends the response when the connection is established, reads from here until the end, and passes received bytes on as the body.
public final class URLProtocolUpstream: Sendable {
  /// The outcome of a read.
  @frozen public enum Read: Sendable, Equatable {
    /// So many bytes were written to the buffer, at least one.
    case bytes(Int)
    /// No bytes are available; the observer is called when there are.
    case wait
    /// All bytes before were read: TLS starts here. The next read gives what follows.
    case secure
    /// The output is closed.
    case end
  }

  private let reader: @Sendable (UnsafeMutableRawBufferPointer) -> Read
  private let inputEnd: @Sendable () -> Void
  private let outputFailure: @Sendable (any Error) -> Void
  private let announcer: UpstreamAnnouncer
  /// The attempt of the load whose instance has it; 0 for the whole load's.
  private let attempt: Int

  /// A direction that is read by closures.
  /// - Parameters:
  ///   - reader: is called for each read, one call at a time; it must not block.
  ///   - onInputEnd: called when the peer has closed its direction.
  ///   - onOutputFailure: called with the reason when nothing more can be sent.
  public init(
    _ reader: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Read,
    onInputEnd: @escaping @Sendable () -> Void = {},
    onOutputFailure: @escaping @Sendable (any Error) -> Void = { _ in }
  ) {
    self.reader = reader
    inputEnd = onInputEnd
    outputFailure = onOutputFailure
    announcer = UpstreamAnnouncer()
    attempt = 0
  }

  /// A direction whose bytes something else announces that does not reference it.
  init(
    announcedBy announcer: UpstreamAnnouncer, _ reader: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Read
  ) {
    self.announcer = announcer
    self.reader = reader
    inputEnd = {}
    outputFailure = { _ in }
    attempt = 0
  }

  private init(_ whole: URLProtocolUpstream, attempt: Int) {
    reader = whole.reader
    inputEnd = whole.inputEnd
    outputFailure = whole.outputFailure
    announcer = whole.announcer
    self.attempt = attempt
  }

  /// The same direction for the instance of an attempt. Instances of earlier ones, which may still be about to begin, set no observer any more
  /// once this one's has.
  func forInstance(ofAttempt attempt: Int) -> URLProtocolUpstream {
    URLProtocolUpstream(self, attempt: attempt)
  }

  /// Reports that the peer has closed its direction, while this one is open: the body is complete, and the instance finishes after the next
  /// ``Read/end``.
  public func inputEnded() { inputEnd() }

  /// Reports that the output has failed. The instance still passes on what the peer has sent before, and then fails.
  public func outputFailed(_ error: any Error) { outputFailure(error) }

  /// Copies the next bytes into a buffer that is not empty. One call at a time, from any thread; does not block. Not before the
  /// connection is established: what was read cannot be read again.
  public func read(into buffer: UnsafeMutableRawBufferPointer) -> Read { reader(buffer) }

  /// Sets the observer that is called, on any thread, when bytes are available after ``Read/wait``; at once where that was announced
  /// before. The latest observer replaces others; that of a stopped instance is ignored.
  public func observe(_ observer: @escaping @Sendable () -> Void) { announcer.observe(observer, attempt: attempt) }

  /// Calls the observer: there is more.
  public func announce() { announcer.announce() }
}
