/// Answers the questions of a login; nil skips the method or key.
///
/// The deadline stands still during a question. If the connection ends, the task that asks is cancelled.
protocol SSHAuthenticator: Sendable {
  /// The passphrase of a key file.
  /// - Parameter attempt: 0 at first; more after a wrong one.
  func passphrase(forKeyFile path: String, attempt: Int) async -> String?

  /// The user's password on a server.
  /// - Parameter attempt: 0 at first; more after one that was refused.
  func password(user: String, server: String, attempt: Int) async -> String?

  /// The answers to a server's questions, as many as there are prompts.
  /// - Parameter attempt: 0 at first; more after answers that were refused.
  func answers(to prompts: [InteractivePrompt], user: String, server: String, attempt: Int) async -> [String]?

  /// The last passphrase for a key file was wrong, and there is no further attempt.
  func forgetPassphrase(forKeyFile path: String)

  /// A user's password was wrong.
  func forgetPassword(user: String, server: String)

  /// Answers to the server's questions were wrong.
  func forgetAnswers(user: String, server: String)
}

/// A server's question by keyboard-interactive (RFC 4256, section 3.2).
struct InteractivePrompt: Sendable, Equatable {
  let text: String
  /// Whether the answer may be shown while it is typed.
  let echoes: Bool
}
