/// Answers what a login needs to know. Whoever throws ends the connection with that error; nil leaves the method or key aside.
///
/// The time that an answer takes does not count against the connection's deadline. When the connection ends meanwhile, the task
/// that asks is cancelled.
protocol SSHAuthenticator: Sendable {
  /// The passphrase of a key file, which the server would accept or which says nothing without it.
  /// - Parameter attempt: 0 at first; more after a wrong one.
  func passphrase(forKeyFile path: String, attempt: Int) async throws -> String?

  /// The user's password on a server.
  /// - Parameter attempt: 0 at first; more after one that was refused.
  func password(user: String, server: String, attempt: Int) async throws -> String?

  /// The answers to a server's questions (RFC 4256), as many as there are prompts.
  /// - Parameter attempt: 0 at first; more after answers that were refused.
  func answers(to questions: InteractiveQuestions, user: String, server: String, attempt: Int) async throws -> [String]?
}

/// What a server asks by keyboard-interactive (RFC 4256, section 3.2).
struct InteractiveQuestions: Sendable, Equatable {
  struct Prompt: Sendable, Equatable {
    let text: String
    /// Whether the answer may be seen when it is typed.
    let echoes: Bool
  }

  let name: String
  let instruction: String
  var prompts: [Prompt]
}
