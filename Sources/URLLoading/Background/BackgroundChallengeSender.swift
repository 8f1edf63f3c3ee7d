/// Takes the answer to a challenge of the transfer service.
final class BackgroundChallengeSender: NSObject, URLAuthenticationChallengeSender {
  private let send: @Sendable (BackgroundAnswer) -> Void

  /// - Parameter send: the first answer counts, which `send` sees to.
  init(_ send: @escaping @Sendable (BackgroundAnswer) -> Void) { self.send = send }

  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
    send(.useCredential(BackgroundValues.data(of: credential)))
  }

  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) { send(.useCredential(nil)) }

  func cancel(_ challenge: URLAuthenticationChallenge) { send(.cancel) }

  func performDefaultHandling(for challenge: URLAuthenticationChallenge) { send(.performDefaultHandling) }

  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) { send(.rejectProtectionSpace) }
}
