struct LoginKey: Sendable {
  enum Origin: Sendable {
    /// The socket of the agent that has it.
    case agent(String)
    case file(KeyFile)
  }

  let origin: Origin
  /// Nil for an encrypted file that does not tell it.
  let publicKey: PublicKey?

  /// For messages.
  var name: String {
    switch origin {
    case .agent: "a key of the agent (\(publicKey?.fingerprint ?? ""))"
    case .file(let file): file.path
    }
  }
}
