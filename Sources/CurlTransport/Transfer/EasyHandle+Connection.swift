import Glibc
internal import URLLoadingBase
internal import URLLoadingCCurl
internal import URLLoadingCOpenSSL

/// A connection alone, without a protocol: libcurl finds the host, goes through proxies and speaks TLS, and then hands it over
/// (`CURLOPT_CONNECT_ONLY`). From there on the loop watches the socket, and reads and writes by `curl_easy_recv` and `curl_easy_send`.
///
/// What is sent comes from the request's body source, what arrives goes to the handler as the body. The transfer ends when both directions
/// are closed, or the connection breaks.
extension EasyHandle {
  /// The most bytes that are discarded while a connection lingers.
  static let drainedAtEnd = 1 << 20
  /// The most bytes that are read, and written, in a turn of the loop, so that no other socket starves.
  private static let bytesPerTurn = 256 << 10
  private static let readSize = 64 << 10
  /// How long a connection lingers: the peer's time to close its direction.
  private static let lingeringLimit = Duration.seconds(5)

  /// libcurl has connected, or has completed the TLS handshake on an established connection.
  func connectionStands() {
    guard let multi, let transfer = run.transfer, let handler = run.handler else { return }
    let descriptor = ccurl_get_active_socket(curl)
    guard descriptor >= 0 else { return multi.finish(self, CURLE_COULDNT_CONNECT) }
    let isFirst = run.connection == nil
    let question = run.connection?.question
    reactor.handOverSocket(descriptor)
    run.connection = RawConnection(descriptor: descriptor, isSecure: shape?.isHTTPS == true)
    run.connection?.question = question
    answerCame()
    run.hasHead = true
    if isFirst { handler.transfer(transfer, didReceive: .connection) }
    // A first read attaches the connection to the handle; until then the multi handle may close it.
    if question == nil { _ = receiveBytes() } else if !receiveAhead() { return }
    guard run.connection != nil else { return }
    if run.tlsVersion == nil { (run.tlsVersion, run.tlsCipherSuite) = TLSInspector.parameters(of: curl) }
    if let question { handler.transfer(transfer, asksToTrust: question) } else { continueConnection() }
  }

  /// The owner has evaluated the trust in the peer of a handshake.
  func resolveTrust(accepts: Bool) {
    guard let question = run.connection?.question else { return }
    run.connection?.question = nil
    if accepts { return continueConnection() }
    run.verification = nil
    run.failureReason = .serverTrust(question)
    multi?.finish(self, CURLE_PEER_FAILED_VERIFICATION)
  }

  /// Reads and writes as far as the socket, the handler and the source allow.
  func continueConnection() {
    run.connection?.isContinuing = false
    guard run.connection?.question == nil else { return }
    if run.connection?.isLingering == true { return linger() }
    readConnection()
    writeConnection()
  }

  private func continueInNextTurn(_ transfer: Transfer) {
    guard run.connection?.isContinuing == false else { return }
    run.connection?.isContinuing = true
    transfer.continueConnection()
  }

  /// Whether reading or writing is paused has changed.
  func pauseChanged() {
    guard run.connection != nil else { return }
    continueConnection()
  }

  /// The socket is about to be closed, or handed to another handle.
  func leaveSocket() {
    if let connection = run.connection, connection.descriptor >= 0 {
      reactor.watch(connection.descriptor, for: []) { _ in }
    }
  }

  private func watchConnection() {
    guard let connection = run.connection, connection.descriptor >= 0 else { return }
    let interest = connection.interest(pausesReading: run.isReceivingPaused)
    reactor.watch(connection.descriptor, for: interest) { [unowned self] ready in
      if ready.contains(.writable) { run.connection?.isBlocked = false }
      continueConnection()
    }
  }

  // MARK: Reading

  private func readConnection() {
    var budget = Self.bytesPerTurn
    while let connection = run.connection, connection.descriptor >= 0, !connection.isInputOver, !run.isReceivingPaused {
      guard let transfer = run.transfer, let handler = run.handler else { return }
      guard budget > 0 else { return continueInNextTurn(transfer) }
      if connection.incoming.isEmpty {
        guard receiveBytes() else { break }
      }
      guard let bytes = run.connection?.incoming, !bytes.isEmpty else { break }
      switch bytes.withUnsafeBytes({ handler.transfer(transfer, didReceive: $0) }) {
      case .pause: run.isReceivingPaused = true
      case .accepted:
        run.connection?.incoming = []
        run.receivedBytes += Int64(bytes.count)
        run.deliveredBytes += Int64(bytes.count)
        budget -= bytes.count
      }
    }
    watchConnection()
  }

  /// - Returns: false where a read would block, or the input has ended.
  private func receiveBytes() -> Bool {
    let (code, bytes) = receive()
    switch code {
    case CURLE_OK where !bytes.isEmpty:
      run.connection?.incoming = bytes
      return true
    case CURLE_OK: inputEnds()
    case CURLE_AGAIN where run.connection?.outputFailure == nil: break
    default: breaks(code)
    }
    return false
  }

  /// Buffers received bytes while the owner evaluates the peer.
  /// - Returns: false where the connection has failed: a fatal alert is reported once.
  private func receiveAhead() -> Bool {
    let (code, bytes) = receive()
    run.connection?.incoming = bytes
    guard code != CURLE_OK, code != CURLE_AGAIN else { return true }
    breaks(code)
    return false
  }

  private func receive() -> (code: CURLcode, bytes: [UInt8]) {
    var count = 0
    var code = CURLE_OK
    let bytes = [UInt8](unsafeUninitializedCapacity: Self.readSize) { buffer, initialized in
      code = curl_easy_recv(curl, buffer.baseAddress, buffer.count, &count)
      initialized = code == CURLE_OK ? count : 0
    }
    return (code, bytes)
  }

  /// The peer has closed its direction. Under TLS that takes a close_notify: without one it is a truncation, which an attacker can cause
  /// (RFC 8446, section 6.1). libcurl does not tell the two apart.
  private func inputEnds() {
    if run.connection?.isSecure == true, let session = TLSInspector.session(of: curl),
      !TLSInspector.isClosedByPeer(session)
    {
      run.failureReason = .truncated
      return breaks(CURLE_RECV_ERROR)
    }
    run.connection?.inputEnds()
    if let transfer = run.transfer { run.handler?.transferInputDidEnd(transfer) }
    endIfOver()
  }

  /// The connection has failed. Where output failed first, the transfer ends with that failure.
  private func breaks(_ code: CURLcode) {
    if let failure = run.connection?.outputFailure { end(with: failure) } else { multi?.finish(self, code) }
  }

  // MARK: Writing

  private func writeConnection() {
    var budget = Self.bytesPerTurn
    while let connection = run.connection, connection.descriptor >= 0, !connection.isOutputOver, !connection.isBlocked,
      !run.isSendingPaused
    {
      guard let transfer = run.transfer else { return }
      guard budget > 0 else { return continueInNextTurn(transfer) }
      guard connection.closing.isEmpty else {
        sendClosing()
        break
      }
      let outgoing = connection.outgoing ?? OutgoingBytes()
      run.connection?.outgoing = outgoing
      if outgoing.isEmpty {
        guard takeBody(outgoing) else { break }
      }
      let rest = outgoing.rest
      var count = 0
      switch curl_easy_send(curl, rest.baseAddress, rest.count, &count) {
      case CURLE_OK:
        outgoing.removeFirst(count)
        budget -= count
      case CURLE_AGAIN: run.connection?.isBlocked = true
      case let code: return outputBreaks(code)
      }
    }
    watchConnection()
  }

  /// Nothing more can be sent, because the peer has closed the connection. What it sent before can be read, and may say why.
  private func outputBreaks(_ code: CURLcode) {
    guard let transfer = run.transfer, let handler = run.handler else { return }
    let failure = failure(code)
    run.connection?.outputBreaks(failure)
    handler.transfer(transfer, sendingDidFailWith: failure)
    if run.connection?.isInputOver == true { return breaks(code) }
    readConnection()
  }

  /// Takes the next bytes of the body.
  /// - Returns: false where there are none.
  private func takeBody(_ outgoing: OutgoingBytes) -> Bool {
    var result = OutgoingBody.Read.wait
    outgoing.fill { buffer in
      result = run.body?.read(into: buffer) ?? .end
      if case .bytes(let count) = result { return count }
      return nil
    }
    switch result {
    case .bytes: return true
    case .wait:
      run.isAwaitingBody = true
      run.connection?.outgoing = nil
    case .end: closeOutput()
    case .secure: secureConnection()
    case .failed(let reason):
      run.failureReason = reason
      multi?.finish(self, CURLE_ABORTED_BY_CALLBACK)
    }
    return false
  }

  /// Closes the output; the peer may continue to send.
  private func closeOutput() {
    guard let connection = run.connection else { return }
    connection.outgoing = nil
    if connection.isSecure, let session = TLSInspector.session(of: curl) {
      connection.closing = TLSInspector.closingBytes(session)
      sendClosing()
    } else {
      shutdown(connection.descriptor, Int32(SHUT_WR))
      connection.outputEnds()
      endIfOver()
    }
  }

  /// Sends the rest of close_notify, and shuts the socket's output down.
  private func sendClosing() {
    guard let connection = run.connection else { return }
    while !connection.closing.isEmpty {
      let sent = connection.closing.withUnsafeBytes {
        send(connection.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if sent > 0 {
        connection.closing.removeFirst(sent)
      } else if errno == EAGAIN {
        connection.isBlocked = true
        return
      } else {
        // The peer has closed the connection: a read tells how.
        connection.closing = []
      }
    }
    connection.outputEnds()
    endIfOver()
  }

  private func endIfOver() {
    guard run.connection?.isOver == true else { return }
    end(with: run.connection?.outputFailure)
  }

  private func end(with failure: TransferFailure?) {
    guard let multi, let transfer = run.transfer, let handler = run.handler else { return }
    let completion = Completion(transfer: transfer, handler: handler, metrics: metrics(), failure: failure)
    multi.release(self)
    completion.deliver()
  }

  // MARK: Lingering

  /// Closes the socket once the peer has closed its direction, or after a few seconds: closing it with unread bytes resets the connection,
  /// and the peer may lose the last bytes sent to it (RFC 9112, section 9.6, has the same for servers).
  func closeWhenPeerHas(_ multi: MultiHandle) {
    abandonTransfer()
    run.connection?.lingers()
    run.isReceivingPaused = false
    run.drainBudget = Self.drainedAtEnd
    multi.setDeadline(.now.advanced(by: Self.lingeringLimit), of: self)
    linger()
  }

  private func linger() {
    if run.connection?.closing.isEmpty == false, run.connection?.isBlocked == false { sendClosing() }
    var budget = Self.bytesPerTurn
    while budget > 0 {
      let (code, bytes) = receive()
      guard !bytes.isEmpty else {
        if code != CURLE_AGAIN { multi?.release(self) }
        break
      }
      budget -= bytes.count
      run.drainBudget -= bytes.count
      // A peer that keeps sending does not read either.
      guard run.drainBudget > 0 else { return multi?.release(self) ?? () }
    }
    // What is left is told again: the socket is watched by its level.
    watchConnection()
  }

  // MARK: TLS on an established connection

  /// Starts TLS: libcurl adopts the socket, under another descriptor, as a new connection to the host, and performs the handshake.
  ///
  /// Plaintext that was received and not consumed fails the transfer: it must not pass for what TLS protects (as in CVE-2011-0411).
  private func secureConnection() {
    guard let multi, let connection = run.connection,
      let host = ccurl_get_string(curl, CURLINFO_EFFECTIVE_URL).flatMap({ TLSEndpoint(url: String(cString: $0)) })
    else { return }
    guard !connection.isSecure else { return refuse("it has TLS already") }
    guard shape?.proxy?.kind != .https else {
      return refuse("it goes through a proxy that is spoken to over TLS, and libcurl cannot put one into the other")
    }
    guard connection.incoming.isEmpty, !connection.isInputOver else {
      return refuse("the peer sent something in the clear behind its agreement, or has closed the connection")
    }
    let adopted = fcntl(connection.descriptor, F_DUPFD_CLOEXEC, 0)
    guard adopted >= 0 else { return multi.finish(self, CURLE_OUT_OF_MEMORY) }
    multi.secure(self, RawConnection(securing: adopted), with: host)
  }

  private func refuse(_ words: String) {
    run.failureReason = .refusedHandshake(words)
    multi?.finish(self, CURLE_SSL_CONNECT_ERROR)
  }

  /// Sets the options by which libcurl adopts an established connection.
  func configure(toSecure host: TLSEndpoint, _ configuration: TransferEngineConfiguration) throws(InvalidRequest) {
    let name = host.host.contains(":") ? "[\(host.host)]" : host.host
    var request = TransferRequest(url: "https://\(name):\(host.port)/")
    request.connectsOnly = true
    request.security = run.transfer?.request.laterSecurity
    var configuration = configuration
    // The socket has its local end.
    configuration.network.connections.localEnd = nil
    try configure(for: request, body: .none, configuration, nil)
    isOfOneTransfer = true
    // Any address will do, and none is looked up. CURLOPT_RESOLVE would leave it in a cache that other transfers look into.
    set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_WHATEVER))
    questionList = curl_slist_append(questionList, "::127.0.0.1:")
    _ = ccurl_set_list(curl, CURLOPT_CONNECT_TO, questionList)
    _ = ccurl_set_socket_options(curl) { _, _, _ in CURL_SOCKOPT_ALREADY_CONNECTED }
  }
}
