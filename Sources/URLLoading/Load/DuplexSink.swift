internal import URLLoadingBase

/// The task's end of a full-duplex connection: consumes the body, and is the source of the bytes to send.
///
/// Bytes that are buffered for the task's owner are counted by ``Load/buffered(_:)`` and ``Load/consumed(_:)``.
protocol DuplexSink: BodySink {
  /// What is sent.
  var upstream: URLProtocolUpstream { get }

  /// Turns a request that is about to be loaded, the first or a redirect's, into one that opens the connection.
  func prepare(_ request: inout URLRequest)

  /// The connection is established.
  /// - Throws: why the response does not open it; ends the load.
  func open(_ response: URLResponse, of load: Load) throws

  /// The connection has ended.
  /// - Parameter error: why it failed; nil for a graceful shutdown by the peer.
  /// - Returns: the task's error.
  func connectionEnded(_ error: (any Error)?) -> (any Error)?

  /// The connection was to end within a time, see ``Load/limitRest(to:)``, and has not.
  /// - Returns: the task's error.
  func endIsOverdue() -> (any Error)?
}

extension DuplexSink {
  var holdsBytes: Bool { false }
  func prepare(_ request: inout URLRequest) {}
  func endIsOverdue() -> (any Error)? { connectionEnded(nil) }
  func end(_ error: (any Error)?) { _ = end(error) {} }

  /// The task was released. If nobody has resumed it, its requests fail: their handlers retain the load, which retains this.
  func taskIsReleased() {
    end(URLError(.cancelled, message: "The task was released before it was resumed.", url: nil))
  }
}

extension Load {
  /// The task's end of the connection, where the task is of such a kind.
  var duplex: (any DuplexSink)? { plan.kind.isDuplex ? read { $0.sink } as? any DuplexSink : nil }

  /// Bytes were buffered for the task's owner; ``consumed(_:)`` undoes it.
  func buffered(_ count: Int) {
    update { $0.apply($0.machine.buffered(count)) }
  }

  /// The connection is established, and may be idle without a limit: the request timeout does not run.
  /// - Returns: false where the load has ended.
  func openDuplex(_ response: URLResponse, attempt: Int) -> Bool {
    guard let duplex else { return true }
    do {
      try duplex.open(response, of: self)
    } catch {
      abort(error)
      return false
    }
    waiting(true, attempt: attempt)
    return true
  }

  /// A TLS handshake has begun, for which the request timeout runs, or has ended, and the connection may be idle again.
  func securing(_ isSecuring: Bool) { waiting(!isSecuring, attempt: read { $0.machine.attempt }) }

  /// Ends the load from the task's side, after the pending deliveries have reached its owner.
  func endDuplex(_ error: (any Error)?) {
    if update({ $0.machine.abort() }) == .end { end(error, dropsWaiting: false) }
  }

  /// Sets a deadline for the end of the load.
  func limitRest(to limit: Duration) {
    let now = MonotonicInstant.now
    update { $0.machine.limitRest(to: limit, at: now) }
    session.deadlines.look(by: now.advanced(by: limit))
  }
}
