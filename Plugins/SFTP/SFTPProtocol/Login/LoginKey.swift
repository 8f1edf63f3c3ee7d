/// A key that a login may use.
struct LoginKey: Sendable {
  enum Origin: Sendable {
    /// The socket of the agent that holds it.
    case agent(String)
    case file(KeyFile)
  }

  let origin: Origin
  /// Nil while it is not known because the file is encrypted.
  let publicKey: PublicKey?

  /// For messages.
  var name: String {
    switch origin {
    case .agent: "a key of the agent (\(publicKey?.fingerprint ?? ""))"
    case .file(let file): file.path
    }
  }
}
