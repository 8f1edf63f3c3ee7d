import Foundation

/// Takes the answer to a challenge. A protocol class that asks for credentials implements it.
public protocol URLAuthenticationChallengeSender: NSObjectProtocol, Sendable {
  /// Use this credential.
  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge)

  /// Go on without one.
  func continueWithoutCredential(for challenge: URLAuthenticationChallenge)

  /// Give the load up.
  func cancel(_ challenge: URLAuthenticationChallenge)

  /// Do as if nobody had been asked.
  func performDefaultHandling(for challenge: URLAuthenticationChallenge)

  /// Leave this protection space; the next one that the server offered is tried.
  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge)
}

// These two are optional on Apple's systems.
extension URLAuthenticationChallengeSender {
  /// Goes on without a credential.
  public func performDefaultHandling(for challenge: URLAuthenticationChallenge) {
    continueWithoutCredential(for: challenge)
  }

  /// Goes on without a credential.
  public func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {
    continueWithoutCredential(for: challenge)
  }
}
