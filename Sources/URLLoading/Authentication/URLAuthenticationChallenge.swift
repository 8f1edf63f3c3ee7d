import Foundation

// Safe to share: nothing changes after init.
/// A request of a server or proxy for credentials.
open class URLAuthenticationChallenge: NSObject, @unchecked Sendable {
  private let space: URLProtectionSpace
  private let credential: URLCredential?
  private let failures: Int
  private let response: URLResponse?
  private let lastError: (any Error)?
  private let answerTo: any URLAuthenticationChallengeSender

  /// A challenge.
  ///
  /// - Parameters:
  ///   - space: the server or proxy, and its realm.
  ///   - credential: the credential that is used by default.
  ///   - previousFailureCount: how many credentials were refused before.
  ///   - response: the response with the challenge.
  ///   - error: why the last one failed.
  ///   - sender: the object that takes the answer.
  public init(
    protectionSpace space: URLProtectionSpace, proposedCredential credential: URLCredential?,
    previousFailureCount: Int, failureResponse response: URLResponse?, error: (any Error)?,
    sender: any URLAuthenticationChallengeSender
  ) {
    self.space = space
    self.credential = credential
    failures = previousFailureCount
    self.response = response
    lastError = error
    answerTo = sender
  }

  /// The same challenge with another sender.
  public init(
    authenticationChallenge challenge: URLAuthenticationChallenge, sender: any URLAuthenticationChallengeSender
  ) {
    space = challenge.protectionSpace
    credential = challenge.proposedCredential
    failures = challenge.previousFailureCount
    response = challenge.failureResponse
    lastError = challenge.error
    answerTo = sender
  }

  /// The server or proxy, and its realm.
  open var protectionSpace: URLProtectionSpace { space }

  /// The credential that is used by default. One with a password can be used as it is.
  open var proposedCredential: URLCredential? { credential }

  /// How many credentials were refused before.
  open var previousFailureCount: Int { failures }

  /// The response with the challenge.
  open var failureResponse: URLResponse? { response }

  /// Why the last credential failed.
  open var error: (any Error)? { lastError }

  /// The object that takes the answer. Session delegates answer by their completion handler instead.
  open var sender: (any URLAuthenticationChallengeSender)? { answerTo }
}
