/// Who is asked about a challenge, and what answers it without a question.
enum ChallengeRules {
  /// Whether a challenge is about the connection: the session's method is asked first.
  static func isAboutConnection(_ space: URLProtectionSpace) -> Bool {
    let method = space.authenticationMethod
    return method == NSURLAuthenticationMethodNTLM || method == NSURLAuthenticationMethodNegotiate
      || isAboutHandshake(space)
  }

  /// Whether a challenge comes from the TLS handshake, which no storage answers.
  static func isAboutHandshake(_ space: URLProtectionSpace) -> Bool {
    let method = space.authenticationMethod
    return method == NSURLAuthenticationMethodServerTrust || method == NSURLAuthenticationMethodClientCertificate
  }

  /// Whether a credential for the space says to the origin who the user is.
  static func authorizes(_ space: URLProtectionSpace) -> Bool {
    space.authenticationMethod != NSURLAuthenticationMethodServerTrust && !space.isProxy()
  }

  /// Whether the credential storage is asked: once, where nothing is proposed.
  static func mayAskStorage(about challenge: URLAuthenticationChallenge) -> Bool {
    challenge.previousFailureCount == 0 && challenge.proposedCredential == nil
      && !isAboutHandshake(challenge.protectionSpace)
  }

  /// Whether a credential that was accepted is stored.
  static func keeps(_ credential: URLCredential) -> Bool { credential.persistence != .none && credential.hasPassword }

  /// The user name and password of the URL, once, for challenges that want such and propose nothing.
  /// - Parameter original: that of the task.
  static func credential(
    for challenge: URLAuthenticationChallenge, in url: URL, orOf original: URL?
  ) -> URLCredential? {
    let space = challenge.protectionSpace
    guard challenge.previousFailureCount == 0, challenge.proposedCredential == nil, !space.isProxy(),
      !isAboutConnection(space) || space.authenticationMethod == NSURLAuthenticationMethodNTLM
    else { return nil }
    return credential(in: url, orOf: original)
  }

  /// The credential that a URL names. A redirect within the origin rarely repeats that of the original URL, which still counts.
  private static func credential(in url: URL, orOf original: URL?) -> URLCredential? {
    if let user = url.user(percentEncoded: false) {
      return URLCredential(user: user, password: url.password(percentEncoded: false) ?? "", persistence: .none)
    }
    guard let original, original.user != nil, original.scheme == url.scheme, original.host == url.host,
      original.port == url.port
    else { return nil }
    return credential(in: original, orOf: nil)
  }
}
