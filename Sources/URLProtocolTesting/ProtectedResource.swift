import URLLoading

/// A resource that is given to those who log in, and what it takes.
public struct ProtectedResource: Sendable {
  /// The URL. It has no password in it, and a user only where the class logs in as the user of the URL.
  public let url: URL

  /// What lets in. Its persistence does not matter.
  public let credential: URLCredential

  /// What does not.
  public let wrongCredential: URLCredential

  /// What the class says in its challenges: who asks, and for what.
  public let protectionSpace: URLProtectionSpace

  /// Names a resource and its login.
  /// - Parameters:
  ///   - url: loads the bytes with the credential, and nothing without it.
  ///   - credential: what lets in.
  ///   - wrongCredential: what does not; nil for the same user with another password.
  ///   - protectionSpace: the one that the class's challenges are to have.
  public init(
    url: URL, credential: URLCredential, wrongCredential: URLCredential? = nil, protectionSpace: URLProtectionSpace
  ) {
    self.url = url
    self.credential = credential
    self.wrongCredential =
      wrongCredential
      ?? URLCredential(
        user: credential.user ?? "", password: (credential.password ?? "") + "-wrong", persistence: .none)
    self.protectionSpace = protectionSpace
  }
}
