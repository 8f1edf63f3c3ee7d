import Foundation

// Safe to share: nothing changes after init.
/// A question for credentials, and all that is known when it is asked.
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
  ///   - space: who asks.
  ///   - credential: what would be sent if nobody objects.
  ///   - previousFailureCount: how many credentials were refused before.
  ///   - response: the response that refused the last one, or that asked.
  ///   - error: why the last one failed.
  ///   - sender: who takes the answer.
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

  /// The same challenge, to be answered to somebody else.
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

  /// Who asks.
  open var protectionSpace: URLProtectionSpace { space }

  /// What would be sent if nobody objects. With a password it can be used as it is.
  open var proposedCredential: URLCredential? { credential }

  /// How many credentials were refused before.
  open var previousFailureCount: Int { failures }

  /// The response that refused the last credential, or that asked.
  open var failureResponse: URLResponse? { response }

  /// Why the last credential failed.
  open var error: (any Error)? { lastError }

  /// Who takes the answer. Session delegates answer to their completion handler instead.
  open var sender: (any URLAuthenticationChallengeSender)? { answerTo }
}
