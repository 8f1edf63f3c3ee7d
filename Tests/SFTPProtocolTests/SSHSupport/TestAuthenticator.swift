import Foundation
import URLLoadingTestServers

@testable import SFTPProtocol

/// Answers what a test tells it to, and keeps what it was asked.
final class TestAuthenticator: SSHAuthenticator {
  let asked = Watched<[String]>([])
  private let passphrase: @Sendable (String, Int) async throws -> String?
  private let password: @Sendable (Int) async throws -> String?
  private let answers: @Sendable (InteractiveQuestions, Int) async throws -> [String]?

  init(
    passphrase: @escaping @Sendable (String, Int) async throws -> String? = { _, _ in nil },
    password: @escaping @Sendable (Int) async throws -> String? = { _ in nil },
    answers: @escaping @Sendable (InteractiveQuestions, Int) async throws -> [String]? = { _, _ in nil }
  ) {
    self.passphrase = passphrase
    self.password = password
    self.answers = answers
  }

  func passphrase(forKeyFile path: String, attempt: Int) async throws -> String? {
    asked.update { $0.append("passphrase \(attempt)") }
    return try await passphrase(path, attempt)
  }

  func password(user: String, server: String, attempt: Int) async throws -> String? {
    asked.update { $0.append("password \(attempt)") }
    return try await password(attempt)
  }

  func answers(to questions: InteractiveQuestions, user: String, server: String, attempt: Int) async throws -> [String]?
  {
    asked.update { $0.append("\(questions.prompts.map(\.text).joined()) \(attempt)") }
    return try await answers(questions, attempt)
  }
}
