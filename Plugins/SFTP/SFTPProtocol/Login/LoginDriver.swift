import URLLoadingCSSH2

/// Carries out what ``LoginMachine`` decides. The connection's thread calls `advance` whenever something may have changed.
///
/// Mutable state: all of it, confined to the connection's thread.
final class LoginDriver {
  enum Progress {
    case wait
    case done
    case failed(SSHFailure)
  }

  enum Activity {
    case listing
    /// For an answer or a helper thread.
    case waiting
    case key(Int, blob: [UInt8])
    case questions
    case password(String)
    case finished
    case failed(SSHFailure)
  }

  /// Rounds of questions before the login fails (RFC 4256 sets no limit).
  private static let largestRoundCount = 16

  private(set) var acceptedMethod: String?
  unowned let driver: ConnectionDriver
  var machine: LoginMachine
  var activity = Activity.listing
  var keys: [LoginKey] = []
  var openKeys: [Int: PrivateKey] = [:]
  private var tried: [String] = []
  var problems: [String] = []
  private var questionAttempt = 0
  private var questionRounds = 0
  private var hasAnswers = true
  private var ownFailure: SSHFailure?
  let agent = AgentConversation()

  init(driver: ConnectionDriver, isOpenSSH: Bool) {
    self.driver = driver
    machine = LoginMachine(isOpenSSH: isOpenSSH)
    perform(machine.start())
  }

  /// Ends the work of helper threads.
  func cancel() { agent.cancel() }

  /// Whether nothing is expected from the server now.
  var isWaiting: Bool {
    if case .waiting = activity { return true }
    if case .key = activity, case .wanted? = driver.session?.signing { return true }
    return false
  }

  func advance() -> Progress {
    guard let session = driver.session else { return .wait }
    while true {
      switch activity {
      case .waiting: return .wait
      case .finished: return .done
      case .failed(let failure): return .failed(failure)
      case .listing:
        switch session.loginMethods(user: user) {
        case .names(let names): perform(machine.listed(names))
        case .loggedIn: accept(acceptedMethod ?? "none")
        case .wait: return .wait
        case .failed(let code): return .failed(driver.failure(code))
        }
      case .key(let index, let blob):
        switch session.logIn(user: user, publicKey: blob) {
        case .done: accept("publickey")
        case .wait:
          guard case .wanted(let data) = session.signing, !isSigning else { return .wait }
          isSigning = true
          sign(data, with: index)
          if case .wanted = session.signing { return .wait }
        case .failed(let code):
          if let failure = fatal(code, session) { return .failed(failure) }
          refusedKey(index, session)
        }
      case .questions:
        switch session.logInByQuestions(user: user) {
        case .done: accept("keyboard-interactive")
        case .wait: return .wait
        case .failed(let code):
          if let failure = fatal(code, session) { return .failed(failure) }
          perform(machine.refusedAnswers(wasAnswered: hasAnswers))
        }
      case .password(let password):
        switch session.logIn(user: user, password: password) {
        case .done: accept("password")
        case .wait: return .wait
        case .failed(let code):
          if let failure = fatal(code, session) { return .failed(failure) }
          if code.number == LIBSSH2_ERROR_PASSWORD_EXPIRED {
            return .failed(
              SSHFailure(.loginFailed, "the password of \(login) has expired: log in with ssh to give it a new one"))
          }
          note("a password")
          perform(machine.refusedPassword(wasGiven: true))
        }
      }
    }
  }

  var isSigning = false
  private var user: String { driver.options.user }
  private var login: String { "\(user) on \(driver.options.server)" }

  private func accept(_ method: String) {
    acceptedMethod = method
    perform(machine.accepted())
  }

  /// An error other than a refusal. libssh2 1.10 also reports a lost connection as a refusal.
  private func fatal(_ code: SSHSession.Code, _ session: SSHSession) -> SSHFailure? {
    if let ownFailure { return ownFailure }
    let refusals = [
      LIBSSH2_ERROR_AUTHENTICATION_FAILED, LIBSSH2_ERROR_PUBLICKEY_UNVERIFIED, LIBSSH2_ERROR_PASSWORD_EXPIRED,
    ]
    return session.isGone || !refusals.contains(code.number) ? driver.failure(code) : nil
  }

  func note(_ what: String) {
    if !tried.contains(what) { tried.append(what) }
  }

  func perform(_ action: LoginMachine.Action) {
    switch action {
    case .listMethods: activity = .listing
    case .findKeys: findKeys()
    case .tryKey(let index, let algorithm): tryKey(index, algorithm)
    case .answerQuestions(let attempt):
      questionAttempt = attempt
      questionRounds = 0
      hasAnswers = true
      driver.session?.onQuestions = { [unowned self] in answers(to: $0) }
      activity = .questions
    case .givePassword(let attempt): askForPassword(attempt)
    case .finish: activity = .finished
    case .giveUp: activity = .failed(refusal)
    }
  }

  private var refusal: SSHFailure {
    let methods = machine.methods ?? []
    let accepts = methods.isEmpty ? "no method of login" : SSHFailure.printable(methods.joined(separator: ", "))
    var text = "\(login) was not let in: the server accepts \(accepts), "
    text += tried.isEmpty ? "and there was nothing to try" : "and refused \(tried.joined(separator: ", "))"
    if !problems.isEmpty { text += "; not usable: \(problems.joined(separator: "; "))" }
    return SSHFailure(.loginFailed, text)
  }

  // MARK: Questions and passwords

  private func askForPassword(_ attempt: Int) {
    activity = .waiting
    let (options, authenticator) = (driver.options, driver.options.authenticator)
    driver.ask({ try await authenticator.password(user: options.user, server: options.server, attempt: attempt) }) {
      driver, answer in
      driver.withLogin { login in
        switch answer {
        case .success(let password?): login.activity = .password(password)
        case .success(nil): login.perform(login.machine.refusedPassword(wasGiven: false))
        case .failure(let error): login.give(up: error)
        }
      }
    }
  }

  private func answers(to questions: InteractiveQuestions) -> [String]? {
    guard ownFailure == nil, hasAnswers else { return nil }
    questionRounds += 1
    guard questionRounds <= Self.largestRoundCount else {
      ownFailure = SSHFailure(.loginFailed, "\(driver.options.server) asks questions without an end")
      return nil
    }
    // A message without questions.
    if questions.prompts.isEmpty { return [] }
    let (options, attempt) = (driver.options, questionAttempt)
    let answer = driver.waitForAnswer {
      try await options.authenticator.answers(
        to: questions, user: options.user, server: options.server, attempt: attempt)
    }
    switch answer {
    case .success(let answers?) where answers.count == questions.prompts.count:
      note("answers to its questions")
      return answers
    case .success: hasAnswers = false
    case .failure(let error): ownFailure = Self.failure(error, login)
    case nil: break
    }
    return nil
  }

  func give(up error: any Error) {
    activity = .failed(Self.failure(error, login))
  }

  private static func failure(_ error: any Error, _ login: String) -> SSHFailure {
    (error as? SSHFailure)
      ?? SSHFailure(.loginFailed, "\(login) was not let in: \(error.localizedDescription)", underlying: error)
  }
}
