import URLLoading

/// Answers the questions of a login from the session: by earlier answers, its credential storage, or its delegate. After a wrong answer the
/// delegate is asked again.
struct ChallengeAuthenticator: SSHAuthenticator {
  /// Times that a question is asked, as by OpenSSH.
  private static let largestAttemptCount = 3

  let host: String
  let port: Int
  /// The URL's password.
  let password: String?
  let memory: SessionMemory
  let questions: ConnectionQuestions

  func passphrase(forKeyFile path: String, attempt: Int) async -> String? {
    await answer(
      Self.passphraseName(path), method: SFTPProtocol.passphraseMethod, realm: path, user: nil, attempt: attempt)
  }

  func password(user: String, server: String, attempt: Int) async -> String? {
    if let password { return attempt == 0 ? password : nil }
    return await answer(
      Self.passwordName(user, server), method: NSURLAuthenticationMethodDefault, realm: nil, user: user,
      attempt: attempt)
  }

  func answers(
    to prompts: [InteractivePrompt], user: String, server: String, attempt: Int
  ) async -> [String]? {
    // A single question is usually for the password.
    if let password, prompts.map(\.echoes) == [false] {
      return attempt == 0 ? [password] : nil
    }
    var answers: [String] = []
    for prompt in prompts {
      let text = SSHFailure.printable(prompt.text)
      guard
        let answer = await answer(
          Self.questionName(user, server, text), method: SFTPProtocol.interactiveMethod, realm: text, user: user,
          attempt: attempt)
      else { return nil }
      answers.append(answer)
    }
    return answers
  }

  func forgetPassphrase(forKeyFile path: String) { memory[Self.passphraseName(path)] = nil }

  func forgetPassword(user: String, server: String) { memory[Self.passwordName(user, server)] = nil }

  func forgetAnswers(user: String, server: String) {
    memory.forgetAnswers(beginningWith: Self.questionName(user, server, ""))
  }

  private static func passphraseName(_ path: String) -> String { "passphrase \(path)" }
  private static func passwordName(_ user: String, _ server: String) -> String { "password \(user)@\(server)" }
  private static func questionName(_ user: String, _ server: String, _ text: String) -> String {
    "question \(user)@\(server) \(text)"
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
    func ask(_ failures: Int) async -> URLCredential? {
      await questions.ask { sender in
        URLAuthenticationChallenge(
          protectionSpace: space, proposedCredential: LoginUser(user), previousFailureCount: failures,
          failureResponse: nil, error: nil, sender: sender)
      }
    }
    var credential = await ask(attempt)
    // Delegates try what is proposed before they give their own; it has no password, and so counts as wrong. What has come back through the
    // transfer service is of another class.
    if let given = credential, !given.hasPassword, !(given is SFTPHostKeyAcceptance) {
      credential = await ask(attempt + 1)
    }
    guard let answer = credential?.password, !(credential is SFTPHostKeyAcceptance) else { return nil }
    memory[question] = answer
    return answer
  }
}
