import URLLoading

/// Gets from a session's delegate what a login needs to know.
///
/// Answers are kept for the session and tried first the next time, and before them what the session's credential storage has; a wrong
/// one is asked for again.
struct ChallengeAuthenticator: SSHAuthenticator {
  /// As OpenSSH: so often a question is asked again after a wrong answer.
  private static let largestAttemptCount = 3

  let host: String
  let port: Int
  /// The password that the URL gives.
  let password: String?
  let memory: SessionMemory
  let questions: ConnectionQuestions

  func passphrase(forKeyFile path: String, attempt: Int) async throws -> String? {
    await answer(
      "passphrase \(path)", method: SFTPProtocol.passphraseMethod, realm: path, user: nil, attempt: attempt)
  }

  func password(user: String, server: String, attempt: Int) async throws -> String? {
    if let password { return attempt == 0 ? password : nil }
    return await answer(
      "password \(user)@\(server)", method: NSURLAuthenticationMethodDefault, realm: nil, user: user, attempt: attempt)
  }

  func answers(
    to questions: InteractiveQuestions, user: String, server: String, attempt: Int
  ) async throws -> [String]? {
    // The usual case is a password in another guise.
    if let password, questions.prompts.count == 1, questions.prompts[0].echoes == false {
      return attempt == 0 ? [password] : nil
    }
    var answers: [String] = []
    for prompt in questions.prompts {
      let text = SSHFailure.printable(prompt.text)
      guard
        let answer = await answer(
          "question \(user)@\(server) \(text)", method: SFTPProtocol.interactiveMethod, realm: text, user: user,
          attempt: attempt)
      else { return nil }
      answers.append(answer)
    }
    return answers
  }

  /// - Parameter question: the name under which the answer is kept.
  private func answer(
    _ question: String, method: String, realm: String?, user: String?, attempt: Int
  ) async -> String? {
    let space = URLProtectionSpace(
      host: host, port: port, protocol: "sftp", realm: realm, authenticationMethod: method)
    if attempt == 0 {
      if let known = memory[question] ?? memory.storedAnswer(for: space, user: user) { return known }
    } else {
      memory[question] = nil
    }
    guard attempt < Self.largestAttemptCount else { return nil }
    // The URL's password was used already; a count of 0 would make the session answer with it, or with an empty one.
    let credential = await questions.ask { sender in
      URLAuthenticationChallenge(
        protectionSpace: space, proposedCredential: nil, previousFailureCount: attempt + 1, failureResponse: nil,
        error: nil, sender: sender)
    }
    guard let answer = credential?.password, !(credential is SFTPHostKeyAcceptance) else { return nil }
    memory[question] = answer
    return answer
  }
}
