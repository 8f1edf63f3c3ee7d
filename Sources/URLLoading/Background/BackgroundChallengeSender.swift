/// Takes the answer to a challenge of the transfer service.
final class BackgroundChallengeSender: NSObject, URLAuthenticationChallengeSender {
  private let send: @Sendable (BackgroundAnswer) -> Void

  /// - Parameter send: the first answer counts, which `send` sees to.
  init(_ send: @escaping @Sendable (BackgroundAnswer) -> Void) { self.send = send }

  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
    guard let trust = credential.trust else { return send(.useCredential(BackgroundValues.data(of: credential))) }
    // Trust in another certificate is not trust in this one.
    let leaf = challenge.protectionSpace.serverTrust?.certificates.first
    send(leaf != nil && trust.certificates.first == leaf ? .trustsServer : .performDefaultHandling)
  }

  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) { send(.useCredential(nil)) }

  func cancel(_ challenge: URLAuthenticationChallenge) { send(.cancel) }

  func performDefaultHandling(for challenge: URLAuthenticationChallenge) { send(.performDefaultHandling) }

  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) { send(.rejectProtectionSpace) }
}
