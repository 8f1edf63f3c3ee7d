internal import URLLoadingCurlTransport

/// A refused login becomes a challenge; the answer starts the load again.
extension FTPProtocol {
  /// Credentials that may be refused before the refusal is the result.
  private static let largestFailureCount = 16

  func challenge(_ failure: TransferFailure) {
    let failures = state.withLock { state in
      state.refusal = failure
      if state.credential != nil { state.failedCredentials += 1 }
      return state.failedCredentials
    }
    guard let url = request.url, failures < Self.largestFailureCount else { return refuse() }
    let space = URLProtectionSpace(
      host: url.host(percentEncoded: false) ?? "", port: url.port ?? 21, protocol: NSURLProtectionSpaceFTP, realm: nil,
      authenticationMethod: NSURLAuthenticationMethodDefault)
    client?.urlProtocol(
      self,
      didReceive: URLAuthenticationChallenge(
        protectionSpace: space, proposedCredential: nil, previousFailureCount: failures, failureResponse: nil,
        error: URLError(failure, url: url), sender: self))
  }

  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
    guard !resolve(by: .credential(credential)) else { return }
    if challenge.protectionSpace.isProxy() { return useForProxy(credential) }
    state.withLock {
      $0.credential = TransferCredential(
        user: credential.user ?? "", password: credential.password ?? "", schemes: .basic)
    }
    begin()
  }

  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {
    if !resolve(by: .byDefault) { refuse() }
  }

  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {
    if !resolve(by: .rejected) { refuse() }
  }

  func cancel(_ challenge: URLAuthenticationChallenge) { refuse() }

  private func refuse() {
    guard let failure = state.withLock({ $0.refusal }) else { return }
    fail(URLError(failure, url: request.url))
  }
}

extension FTPProtocol: TrustEvaluatingProtocol {
  /// Asks the question for which the handshake was aborted.
  /// - Returns: false where it was not, or the load has asked too often.
  func asks(_ failure: TransferFailure) -> Bool {
    guard ConnectionQuestion(failure.reason) != nil,
      case .question(let question) = withProxies({
        $0.exchange.failed(failure, for: request, refusal: nil, by: nil)
      })
    else { return false }
    ask(question)
    return true
  }

  func takeQuestion() -> (ConnectionQuestion, Result<TransferMetrics, TransferFailure>)? {
    withProxies { $0.exchange.takeQuestion() }
  }

  func withAnswers<Result>(_ body: (inout CurlSession.Answers?) -> Result) -> Result {
    state.withLock { body(&$0.answers) }
  }

  func beginAgain() {
    let stage = state.withLock { $0.stage }
    start(stage, body: sessionClient?.urlProtocolUploadBody(self))
  }

  func complete(_ result: Result<TransferMetrics, TransferFailure>) {
    if case .failure(let failure) = result { tell(failure) }
  }
}
