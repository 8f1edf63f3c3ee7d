// Safe to share: nothing changes after init.
/// A request of a server or proxy for credentials.
open class URLAuthenticationChallenge: NSObject, NSSecureCoding, ShadowableMembers, @unchecked Sendable {
  private let space: URLProtectionSpace
  private let credential: URLCredential?
  private let failures: Int
  private let response: URLResponse?
  private let lastError: (any Error)?
  /// Nil for a challenge from an archive.
  private let answerTo: (any URLAuthenticationChallengeSender)?

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

  init?(archivedBy coder: NSCoder) {
    guard let list = PropertyListArchive.decode(from: coder), let failures = list["previousFailureCount"] as? Int,
      let space = (list["space"] as? [String: Any]).flatMap({ URLProtectionSpace(archived: $0) })
    else { return nil }
    self.space = space
    self.failures = failures
    credential = (list["credential"] as? [String: Any]).flatMap { URLCredential(archived: $0) }
    response = URLResponse.nested(list["response"])
    lastError = (list["errorDomain"] as? String).map { domain in
      let error = NSError(
        domain: domain, code: list["errorCode"] as? Int ?? 0,
        userInfo: (list["errorDescription"] as? String).map { [NSLocalizedDescriptionKey: $0] } ?? [:])
      return domain == NSURLErrorDomain ? URLError(_nsError: error) : error
    }
    answerTo = nil
  }

  /// Archives the challenge without its sender; of the error its domain, its code and its description. A proposed credential's password
  /// is readable in the archive.
  open func encode(with coder: NSCoder) {
    var list: [String: Any] = ["previousFailureCount": failures, "space": space.archivedList]
    if let credential { list["credential"] = credential.archivedList }
    if let response { list["response"] = response.nestedList }
    if let lastError {
      let error = lastError as NSError
      list["errorDomain"] = error.domain
      list["errorCode"] = error.code
      list["errorDescription"] = error.localizedDescription
    }
    PropertyListArchive.encode(list, with: coder)
  }

  /// Always true.
  open class var supportsSecureCoding: Bool { true }

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

  /// The object that takes the answer; nil for a challenge from an archive. Session delegates answer by their completion handler instead.
  open var sender: (any URLAuthenticationChallengeSender)? { answerTo }
}

extension ShadowableMembers where Self: URLAuthenticationChallenge {
  // Not required of subclasses: FoundationNetworking's class has none.
  /// Reads an archived challenge, which has no sender; nil if it is damaged, and for a subclass.
  public init?(coder: NSCoder) {
    self.init(made: { URLAuthenticationChallenge(archivedBy: coder) })
  }
}
