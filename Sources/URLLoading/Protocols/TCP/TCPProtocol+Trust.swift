internal import URLLoadingCurlTransport

/// The evaluation of the peer, once TLS was started on the connection.
extension TCPProtocol {
  /// How the peer is evaluated; nil where libcurl's rules do. An identity that was given for the host before logs in to it.
  func laterSecurity(in connections: CurlSession, evaluator: URLConnectionJudge?, host: URL) -> ConnectionSecurity? {
    guard evaluator != nil else { return nil }
    var security = connections.security(
      for: TransferRequest(url: host.absoluteString), evaluator: evaluator, requirements: nil, answers: nil)
    // The handshake cannot wait for an identity: that challenge is not sent.
    security?.asksForIdentity = false
    return security
  }

  func transfer(_ transfer: Transfer, asksToTrust peer: ShownPeer) {
    guard let sessionClient else { return transfer.resolveTrust(accepts: false) }
    let question = ConnectionQuestion.trust(peer)
    state.withLock { $0.question = question }
    let authorities = sessionClient.session.component(CurlSession.self).authorities
    client?.urlProtocol(self, didReceive: question.challenge(scheme: "tcp", authorities, from: self))
  }

  /// Takes the answer about the peer.
  /// - Returns: false where no question is pending.
  func resolveTrust(by decision: ConnectionQuestion.Decision) -> Bool {
    let (question, transfer) = state.withLock { ($0.question.take(), $0.transfer) }
    guard let question else { return false }
    if case .proceed = question.resolved(by: decision) {
      transfer?.resolveTrust(accepts: true)
    } else {
      transfer?.resolveTrust(accepts: false)
    }
    return true
  }
}
