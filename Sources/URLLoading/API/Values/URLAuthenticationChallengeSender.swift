/// Takes the answer to a challenge. A protocol class that asks for credentials implements it.
@preconcurrency
public protocol URLAuthenticationChallengeSender: NSObjectProtocol, Sendable {
  /// Use this credential.
  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge)

  /// Continue without a credential.
  func continueWithoutCredential(for challenge: URLAuthenticationChallenge)

  /// Cancel the load.
  func cancel(_ challenge: URLAuthenticationChallenge)

  /// Do what the load does without a delegate.
  func performDefaultHandling(for challenge: URLAuthenticationChallenge)

  /// Leave this protection space; the next one that the server offered is tried.
  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge)
}

// These two are optional on Apple's systems.
extension URLAuthenticationChallengeSender {
  /// Continues without a credential.
  public func performDefaultHandling(for challenge: URLAuthenticationChallenge) {
    continueWithoutCredential(for: challenge)
  }

  /// Continues without a credential.
  public func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {
    continueWithoutCredential(for: challenge)
  }
}
