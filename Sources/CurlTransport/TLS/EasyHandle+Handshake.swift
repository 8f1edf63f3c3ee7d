internal import URLLoadingBase
internal import URLLoadingCCurl
internal import URLLoadingCOpenSSL
internal import URLLoadingX509

/// OpenSSL's callbacks during the handshakes of a transfer.
// The pointers are unretained: a handshake is driven by the transfer that opened the connection, and ends with it. Renegotiation, which
// would call back later, is off: RFC 9113 section 9.2.1 forbids it, TLS 1.3 has none.
extension EasyHandle {
  /// Has libcurl show the context of every new TLS connection.
  func setHandshakeCallback() {
    guard CurlLibrary.shared.usesLinkedOpenSSL else { return }
    set(CURLOPT_SSL_CTX_DATA, UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()))
    _ = ccurl_set_ssl_context(curl) { _, context, handle in
      guard let context, let handle = EasyHandle.handle(handle) else { return CURLE_OK }
      return handle._withUnsafeGuaranteedRef { $0.handshakeBegins(OpaquePointer(context)) }
    }
  }

  /// How the handshakes of the transfer's connection are judged; nil for libcurl's rules.
  private var security: ConnectionSecurity? {
    run.connection == nil ? run.transfer?.request.security : run.transfer?.request.laterSecurity
  }

  private func handshakeBegins(_ context: OpaquePointer) -> CURLcode {
    let argument = Unmanaged.passUnretained(self).toOpaque()
    guard isConnectedToUnixSocket() else { return CURLE_SSL_CONNECT_ERROR }
    guard setRoots(in: context) else { return CURLE_SSL_CACERT_BADFILE }
    SSL_CTX_set_options(context, copenssl_no_renegotiation())
    if resumesSessions { SSL_CTX_clear_options(context, copenssl_no_ticket()) }
    _ = copenssl_ctx_ask_for_status(context)
    _ = copenssl_ctx_set_status_callback(
      context,
      { session, handle in
        guard let session, let handle = EasyHandle.handle(handle) else { return 0 }
        return handle._withUnsafeGuaranteedRef { $0.serverHasSpoken(session) ? 1 : 0 }
      }, argument)
    guard let request = run.transfer?.request, security != nil else {
      SSL_CTX_set_cert_verify_callback(context, { store, _ in EasyHandle.verifyAsUsual(store) }, nil)
      return CURLE_OK
    }
    let handshakes = run.handshakes ?? Handshakes()
    run.handshakes = handshakes
    guard handshakes.begins(url: request.url, proxy: shape?.proxy) != nil else { return CURLE_SSL_CONNECT_ERROR }
    SSL_CTX_set_cert_verify_callback(
      context,
      { store, handle in
        guard let store, let handle = EasyHandle.handle(handle) else { return 0 }
        return handle._withUnsafeGuaranteedRef { $0.verify(store) ? 1 : 0 }
      }, argument)
    SSL_CTX_set_cert_cb(
      context,
      { session, handle in
        guard let session, let handle = EasyHandle.handle(handle) else { return 0 }
        return handle._withUnsafeGuaranteedRef { $0.certificateIsRequested(session) ? 1 : 0 }
      }, argument)
    return CURLE_OK
  }

  /// Has the connection verified by the roots as they are.
  private func setRoots(in context: OpaquePointer) -> Bool {
    // A data connection of FTP has to resume the session of its control connection, which it does by no other roots.
    if let roots = run.roots { return roots.verify(connectionsOf: context) }
    guard let tls = multi?.configuration.tls else { return false }
    do throws(TrustedAuthorities.Unreadable) {
      let roots = try tls.authorities.roots(notOlderThan: tls.longestTrust)
      if run.kind == .ftp { run.roots = roots }
      return roots.verify(connectionsOf: context)
    } catch {
      run.failureReason = SystemShortage.ofDescriptors.map { .noDescriptorForRoots($0) } ?? .unreadableRoots(error.path)
      return false
    }
  }

  /// libcurl takes no tickets of TLS 1.2 (RFC 5077), and leaves it to programs to take that back. Many servers keep no sessions but in tickets.
  /// With them a connection costs less than half. Not for FTP, where servers compare the sessions of the two connections of a transfer.
  private var resumesSessions: Bool { run.kind == .http && shape?.isIsolated == false }

  /// Where libcurl verifies: as OpenSSL does without a callback. But what it notes of a signature that does not fit goes before the refusal
  /// of the certificate, and libcurl tells the first of all errors: with OpenSSL 3.5 that of RSA, which tells nothing of a certificate.
  private static func verifyAsUsual(_ store: OpaquePointer?) -> Int32 {
    let result = X509_verify_cert(store)
    if result <= 0 { ERR_clear_error() }
    return result
  }

  /// The server's certificates were received. They are judged together with the stapled OCSP response, which follows them in TLS 1.2.
  private func verify(_ store: OpaquePointer) -> Bool {
    guard let endpoint = run.handshakes?.endpoint, let shown = HandshakeChain.verify(store, host: endpoint.host) else {
      return false
    }
    run.handshakes?.peer = ShownPeer(
      endpoint: endpoint, certificates: shown.sent, path: shown.path, verdict: shown.verdict, stapled: .absent)
    return true
  }

  /// The server's flight is complete, with its stapled OCSP response if it sends one.
  private func serverHasSpoken(_ session: OpaquePointer) -> Bool {
    guard let security else { return acceptsStapledStatus(session) }
    // A server of FTP may insist that data connections resume the session of the control connection, whose server was judged. TLS 1.3
    // comes here in this case as well, and no certificate was shown.
    if SSL_session_reused(session) == 1 { return run.kind == .ftp && run.verification != nil }
    guard let handshakes = run.handshakes, var peer = handshakes.peer else { return false }
    peer.parameters = HandshakeParameters(session)
    peer.stapledResponse = HandshakeChain.stapledResponse(session)
    peer.record(HandshakeChain.stapledStatus(session, for: peer.path))
    switch HandshakeRules(security: security).evaluate(peer) {
    case .proceed(let verification):
      handshakes.proceed(verification)
      return true
    case .ask where run.connection != nil:
      // An established connection cannot be opened again with the answer: it completes the handshake, and transfers no data before the
      // answer.
      run.connection?.question = peer
      handshakes.proceed(ConnectionVerification(peer))
      return true
    case .ask: run.failureReason = .serverTrust(peer)
    case .refuse(let reason): run.failureReason = reason
    }
    return false
  }

  /// Where libcurl verifies: rejects revoked certificates, and those that lack a required response.
  private func acceptsStapledStatus(_ session: OpaquePointer) -> Bool {
    let path = HandshakeChain.verifiedPath(session)
    guard let leaf = path.first else { return true }
    let status = HandshakeChain.stapledStatus(session, for: path)
    guard let reason = status.refusal(of: leaf) else { return true }
    run.failureReason = .untrustedServer(.revoked(reason))
    return false
  }

  /// The server wants a certificate of ours.
  private func certificateIsRequested(_ session: OpaquePointer) -> Bool {
    guard let security, let handshakes = run.handshakes, let endpoint = handshakes.endpoint else { return true }
    switch security.answers[endpoint]?.identity {
    case .identity(let identity)?:
      if identity.use(in: session) { return true }
      run.failureReason = .unusableIdentity(identity.certificate.summary ?? "")
      return false
    case IdentityChoice.none?: break
    case nil:
      guard security.asksForIdentity else { break }
      run.failureReason = .clientCertificateRequested(
        endpoint, authorities: HandshakeChain.acceptedAuthorities(session))
      return false
    }
    handshakes.lacksIdentity = true
    return true
  }

  private typealias IdentityChoice = ConnectionSecurity.IdentityChoice
}
