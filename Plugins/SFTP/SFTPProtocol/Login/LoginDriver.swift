internal import URLLoadingCSSH2

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
  let agent = AgentConversation()

  init(driver: ConnectionDriver, isOpenSSH: Bool) {
    self.driver = driver
    machine = LoginMachine(isOpenSSH: isOpenSSH, libraryChooses: LibraryVersion.choosesSignatures)
    perform(machine.start())
  }

  /// Whether nothing is expected from the server now.
  var isWaiting: Bool {
    if case .waiting = activity { return true }
    if case .key = activity, case .underWay? = driver.session?.signing { return true }
    return false
  }

  func advance() -> Progress {
    let progress = proceed()
    // A server may end the connection in the place of a refusal (OpenSSH's MaxAuthTries).
    if case .failed = progress { forgetWhatWasSent() }
    return progress
  }

  private func forgetWhatWasSent() {
    let options = driver.options
    switch activity {
    case .questions: options.authenticator.forgetAnswers(user: user, server: options.server)
    case .password: options.authenticator.forgetPassword(user: user, server: options.server)
    case .listing, .key, .waiting, .finished, .failed: break
    }
  }

  private func proceed() -> Progress {
    guard let session = driver.session else { return .wait }
    while true {
      let step: SSHSession.Step
      switch activity {
      case .waiting: return .wait
      case .finished: return .done
      case .failed(let failure): return .failed(failure)
      case .listing:
        switch session.loginMethods(user: user) {
        case .names(let names): perform(machine.listed(names))
        case .loggedIn: perform(machine.accepted())
        case .wait: return .wait
        case .failed(let code): return .failed(driver.failure(code))
        }
        continue
      case .key(_, let blob): step = session.logIn(user: user, publicKey: blob)
      case .questions: step = session.logInByQuestions(user: user)
      case .password(let password): step = session.logIn(user: user, password: password)
      }
      if questionRounds > Self.largestRoundCount {
        return .failed(SSHFailure(.loginFailed, "\(driver.options.server) asks questions without an end"))
      }
      switch step {
      case .done: perform(machine.accepted())
      case .wait:
        guard case .key(let index, _) = activity, case .wanted(let data) = session.signing else { return .wait }
        session.signing = .underWay
        sign(data, with: index)
        if case .underWay = session.signing { return .wait }
      case .failed(let code):
        if let failure = fatal(code, session) { return .failed(failure) }
        if case .questions = activity, code.number != LIBSSH2_ERROR_AUTHENTICATION_FAILED {
          record(unreadableQuestions: code)
          continue
        }
        wasRefused(session)
      }
    }
  }

  private var user: String { driver.options.user }
  private var login: String { "\(user) on \(driver.options.server)" }

  private func wasRefused(_ session: SSHSession) {
    forgetWhatWasSent()
    switch activity {
    case .key(let index, _): refusedKey(index, session)
    case .questions: perform(machine.refusedAnswers(wasAnswered: hasAnswers))
    case .password:
      record("a password")
      perform(machine.refusedPassword(wasGiven: true))
    case .listing, .waiting, .finished, .failed: break
    }
  }

  /// An error other than a refusal. libssh2 1.10 also reports a lost connection as a refusal.
  private func fatal(_ code: SSHSession.Code, _ session: SSHSession) -> SSHFailure? {
    if session.isGone { return driver.failure(code) }
    switch code.number {
    case LIBSSH2_ERROR_AUTHENTICATION_FAILED, LIBSSH2_ERROR_PUBLICKEY_UNVERIFIED: return nil
    // No signature of the key's kind is among those that the server names.
    case LIBSSH2_ERROR_METHOD_NONE where isTryingKey: return nil
    // Not what the server refused, but what libssh2 cannot read.
    case _ where isAnswering: return nil
    case LIBSSH2_ERROR_PASSWORD_EXPIRED:
      return SSHFailure(.loginFailed, "the password of \(login) has expired: log in with ssh to give it a new one")
    default: return driver.failure(code)
    }
  }

  private var isTryingKey: Bool { if case .key = activity { true } else { false } }
  private var isAnswering: Bool { if case .questions = activity { true } else { false } }

  /// libssh2 1.10 takes many questions with a name (RFC 4256, section 3.2) for malformed ones. A server drops them at the next request (RFC
  /// 4252, section 5).
  private func record(unreadableQuestions code: SSHSession.Code) {
    problems.append("the server's questions, which libssh2 cannot read (\(code.text))")
    perform(machine.refusedAnswers(wasAnswered: false))
  }

  func record(_ what: String) {
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
    let options = driver.options
    driver.ask({
      await options.authenticator.password(user: options.user, server: options.server, attempt: attempt)
    }) { driver, password in
      driver.withLogin { login in
        if let password {
          login.activity = .password(password)
        } else {
          login.perform(login.machine.refusedPassword(wasGiven: false))
        }
      }
    }
  }

  private func answers(to prompts: [InteractivePrompt]) -> [String]? {
    questionRounds += 1
    guard hasAnswers, questionRounds <= Self.largestRoundCount else { return nil }
    // A message without questions.
    if prompts.isEmpty { return [] }
    let (options, attempt) = (driver.options, questionAttempt)
    let answers = driver.waitForAnswer {
      await options.authenticator.answers(
        to: prompts, user: options.user, server: options.server, attempt: attempt)
    }
    hasAnswers = answers?.count == prompts.count
    if hasAnswers { record("answers to its questions") }
    return hasAnswers ? answers : nil
  }
}
