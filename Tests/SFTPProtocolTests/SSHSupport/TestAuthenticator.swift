import Foundation
import URLLoadingTestServers

@testable import SFTPProtocol

/// Answers what a test tells it to, and keeps what it was asked.
final class TestAuthenticator: SSHAuthenticator {
  let asked = Watched<[String]>([])
  /// What it was told to forget.
  let forgotten = Watched<[String]>([])
  private let passphrase: @Sendable (String, Int) async -> String?
  private let password: @Sendable (Int) async -> String?
  private let answers: @Sendable ([InteractivePrompt], Int) async -> [String]?

  init(
    passphrase: @escaping @Sendable (String, Int) async -> String? = { _, _ in nil },
    password: @escaping @Sendable (Int) async -> String? = { _ in nil },
    answers: @escaping @Sendable ([InteractivePrompt], Int) async -> [String]? = { _, _ in nil }
  ) {
    self.passphrase = passphrase
    self.password = password
    self.answers = answers
  }

  func passphrase(forKeyFile path: String, attempt: Int) async -> String? {
    asked.update { $0.append("passphrase \(attempt)") }
    return await passphrase(path, attempt)
  }

  func password(user: String, server: String, attempt: Int) async -> String? {
    asked.update { $0.append("password \(attempt)") }
    return await password(attempt)
  }

  func answers(to prompts: [InteractivePrompt], user: String, server: String, attempt: Int) async -> [String]? {
    asked.update { $0.append("\(prompts.map(\.text).joined()) \(attempt)") }
    return await answers(prompts, attempt)
  }

  func forgetPassphrase(forKeyFile path: String) { forgotten.update { $0.append("passphrase") } }

  func forgetPassword(user: String, server: String) { forgotten.update { $0.append("password") } }

  func forgetAnswers(user: String, server: String) { forgotten.update { $0.append("answers") } }
}
