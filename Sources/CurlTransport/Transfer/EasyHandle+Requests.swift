internal import URLLoadingBase
internal import URLLoadingCCurl

/// The requests that libcurl sends in a transfer: the first, one with credentials, or the same again.
extension EasyHandle {
  /// The connection is ready, and a request is about to be sent: the first, one with credentials, or the same again.
  /// - Returns: whether it is to be sent.
  func requestBegins(on ports: PortPair) -> Bool {
    var ports = ports
    if socketPath != nil {
      guard isConnectedToUnixSocket() else { return false }
      // The next request may be sent on another connection, when this one is closed.
      run.openedSocket = nil
      ports = portsOfUnixSocket
    }
    guard !refusesRepetition(), isVerified(on: ports) else { return false }
    if CurlLibrary.shared.reusesClosedConnections, isClosed(on: ports) { return false }
    run.ports = ports
    if maximumUses != .max { countUse(of: ports) }
    leaveQueue()
    recordMultiplexing(on: ports)
    multi?.requestBegins()
    if run.sentRequests > 0, !run.isAnswered {
      isOfOneTransfer = true
      if let transfer = run.transfer { run.handler?.transferSendsAgain(transfer) }
    }
    followStream(on: ports)
    if run.quicWatch != nil { quicRequestBegins(on: ports) }
    if CurlLibrary.shared.losesEarlyAnswers, run.kind == .http, run.body != nil {
      // Once it has an answer's length, libcurl before 8.1 reads no more, and would not see that the server lets go of the stream.
      set(CURLOPT_IGNORE_CONTENT_LENGTH, multi?.isMultiplexed(ports) == true ? 1 : 0)
    }
    run.isRequestSent = true
    run.sentRequests += 1
    run.earlierUploads += run.latestUpload
    run.latestUpload = 0
    run.isAnswered = false
    run.hasSwitched = nil
    run.pendingHead = nil
    expectHead()
    recordInlineBody()
    return true
  }

  /// Has the connection closed after the last request that it takes. One of HTTP/2 closes when it has no other request, either.
  private func countUse(of ports: PortPair) {
    guard run.kind == .http, socketPath == nil, let multi, let shape, !shape.switchesProtocols, !shape.connectsOnly
    else { return }
    // The kernel may have given the ports of a connection that is no more.
    let opened = ccurl_get_long(curl, CURLINFO_NUM_CONNECTS)
    let uses = multi.countUse(of: ports, isFirst: opened > run.usedConnections)
    run.usedConnections = opened
    set(CURLOPT_FORBID_REUSE, uses >= maximumUses ? 1 : 0)
  }

  private var portsOfUnixSocket: PortPair {
    PortPair(ofUnixSocketFor: ConnectionKey(url: run.transfer?.request.url ?? "", proxy: nil).name)
  }

  /// The request got an answer that is more than informational.
  func answerCame() {
    run.isAnswered = true
    if run.quicWatch != nil { quicAnswerCame() }
    leaveStream()
  }

  /// Whether the connection's server was verified by the transfer's rules, by this transfer or an earlier one.
  private func isVerified(on ports: PortPair) -> Bool {
    guard let shape, shape.isIsolated, shape.usesTLS else { return true }
    if let new = run.handshakes?.verification { multi?.recordVerification(new, of: ports) }
    run.handshakes?.end()
    run.verification = multi?.verification(of: ports)
    if let verification = run.verification {
      // It may have been accepted before the host was known to ask for more.
      run.failureReason = run.transfer?.request.security?.refusal(of: verification.verdict)
    } else {
      run.failureReason = .unverifiedConnection
    }
    return run.failureReason == nil
  }

  /// Begins more transfers when the connection takes many at once.
  private func recordMultiplexing(on ports: PortPair) {
    guard shape?.isHTTPS == true, let multi, let place else { return }
    let socket = run.openedSocket.take()
    guard socket != nil || !multi.isMultiplexing(at: place) || !multi.isMultiplexed(ports) else { return }
    if shape?.quic != nil { return multi.multiplexes(on: ports, openedAs: socket, nil) }
    // With another TLS library the protocol is unknown: then libcurl queues the requests that find no connection.
    guard TLSInspector.protocolName(of: curl) ?? "h2" == "h2" else { return }
    multi.multiplexes(at: place)
    multi.multiplexes(
      on: ports, openedAs: socket, TLSInspector.session(of: curl), isThroughTLS: shape?.proxy?.kind == .https)
  }
}
