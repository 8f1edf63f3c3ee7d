internal import URLLoadingBase

/// What a task sends on a connection of both directions, such as a WebSocket's: bytes that the instance pulls as its connection takes
/// them.
///
/// An instance gets it with its demand (``URLProtocolDemand/upstream``), where its class declares ``URLProtocol/Capabilities/duplex``. It
/// sends the response when the connection stands, reads from here until the end, and passes what arrives on as the body.
///
/// Mutable state: `observer`, guarded by its lock.
public final class URLProtocolUpstream: Sendable {
  /// The outcome of a read.
  @frozen public enum Read: Sendable, Equatable {
    /// So many bytes were written to the buffer, at least one.
    case bytes(Int)
    /// There is nothing now; the observer is called when there is.
    case wait
    /// All bytes before were read: the connection is to speak TLS from here on. The next read gives what follows.
    case secure
    /// Nothing more will come.
    case end
  }

  private let reader: @Sendable (UnsafeMutableRawBufferPointer) -> Read
  private let inputEnd: @Sendable () -> Void
  private let outputFailure: @Sendable (any Error) -> Void
  private let observer = Locked(Observer())

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
  }

  /// The instance tells that the peer has closed its direction, while this one is open: nothing more will come, and the instance is not
  /// done before the next ``Read/end``.
  public func inputEnded() { inputEnd() }

  /// The instance tells that nothing more can be sent, while it still passes on what the peer has sent before; it fails then.
  public func outputFailed(_ error: any Error) { outputFailure(error) }

  /// Copies the next bytes into a buffer that is not empty. One call at a time, from any thread; does not block. Not before the
  /// connection stands: what was read cannot be read again.
  public func read(into buffer: UnsafeMutableRawBufferPointer) -> Read { reader(buffer) }

  /// Sets what is called, on any thread, when a read that said ``Read/wait`` is worth repeating; at once where there was such an
  /// occasion before. The latest observer replaces others.
  public func observe(_ observer: @escaping @Sendable () -> Void) {
    let hasMissed = self.observer.withLock { state in
      state.call = observer
      return exchange(&state.hasMissed, with: false)
    }
    if hasMissed { observer() }
  }

  /// Calls the observer: there is more.
  public func announce() {
    let observer = observer.withLock { state in
      if state.call == nil { state.hasMissed = true }
      return state.call
    }
    observer?()
  }

  private struct Observer {
    var call: (@Sendable () -> Void)?
    /// There was an announcement while nobody observed.
    var hasMissed = false
  }
}
