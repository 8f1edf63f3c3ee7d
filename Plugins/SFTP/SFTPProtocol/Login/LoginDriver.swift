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

  private enum Activity {
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
  private unowned let driver: ConnectionDriver
  private var machine: LoginMachine
  private var activity = Activity.listing
  private var keys: [LoginKey] = []
  private var openKeys: [Int: PrivateKey] = [:]
  private var tried: [String] = []
  private var problems: [String] = []
  private var questionAttempt = 0
  private var questionRounds = 0
  private var hasAnswers = true
  private var ownFailure: SSHFailure?
  private let agent = AgentConversation()

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

  private var isSigning = false
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

  private func note(_ what: String) {
    if !tried.contains(what) { tried.append(what) }
  }

  private func perform(_ action: LoginMachine.Action) {
    switch action {
    case .listMethods: activity = .listing
    case .gatherKeys: gatherKeys()
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

  // MARK: Keys

  private func gatherKeys() {
    activity = .waiting
    let (identities, agent) = (driver.options.identities, agent)
    driver.help({ LoginKeys.gather(identities, agent: agent) }) { driver, result in
      driver.withLogin { login in
        login.keys = result.keys
        login.problems += result.problems
        login.perform(login.machine.gathered(result.keys.map { $0.publicKey?.type }))
      }
    }
  }

  private func tryKey(_ index: Int, _ algorithm: KeyAlgorithm) {
    driver.session?.signing = SignatureRequest.none
    isSigning = false
    let publicKey = openKeys[index]?.publicKey ?? keys[index].publicKey
    guard let publicKey else { return openUnknownKey(index) }
    note(keys[index].name)
    activity = .key(index, blob: publicKey.blob(for: algorithm))
  }

  /// Opens a key whose public half is not known, to offer it.
  private func openUnknownKey(_ index: Int) {
    activity = .waiting
    open(index, attempt: 0) { login in
      if let key = login.openKeys[index] {
        login.perform(login.machine.opened(index, type: key.publicKey.type))
      } else {
        login.perform(login.machine.passedOver(index))
      }
    }
  }

  private func refusedKey(_ index: Int, _ session: SSHSession) {
    switch session.signing {
    // No passphrase, or the agent refused.
    case .refused: perform(machine.passedOver(index))
    case .signed: perform(machine.refusedKey(wasSigned: true))
    case .none, .wanted: perform(machine.refusedKey(wasSigned: false))
    }
  }

  private func sign(_ data: [UInt8], with index: Int) {
    guard let algorithm = SignatureRequest.algorithm(in: data) else { return signed(nil) }
    switch keys[index].origin {
    case .file:
      if let key = openKeys[index] { return signed(data.withUnsafeBytes { key.sign($0, algorithm) }) }
      open(index, attempt: 0) { login in
        login.signed(login.openKeys[index].flatMap { key in data.withUnsafeBytes { key.sign($0, algorithm) } })
      }
    case .agent(let path):
      guard let publicKey = keys[index].publicKey else { return signed(nil) }
      let agent = agent
      driver.help({ agent.sign(data, with: publicKey, algorithm, at: path) }) { driver, result in
        driver.withLogin { login in
          switch result {
          case .success(let signature): login.signed(signature)
          case .failure(let problem):
            login.problems.append("\(login.keys[index].name): \(problem.reason)")
            login.signed(nil)
          }
        }
      }
    }
  }

  private func signed(_ signature: [UInt8]?) {
    driver.session?.signing = signature.map { .signed($0) } ?? .refused
  }

  /// Opens a key file, with a passphrase where it needs one, and calls `then` in any case.
  private func open(
    _ index: Int, attempt: Int, passphrase: String? = nil, _ then: @escaping @Sendable (LoginDriver) -> Void
  ) {
    guard case .file(let file) = keys[index].origin else { return then(self) }
    let agent = agent
    // Slow by design (bcrypt), so not on the connection's thread.
    let work: @Sendable () -> KeyOpening = {
      ExitGate.shared.inside { file.open(passphrase: passphrase, isCancelled: { agent.isCancelled }) }
    }
    driver.help(work) { driver, opening in
      driver.withLogin { login in
        switch opening {
        case .key(let key):
          login.openKeys[index] = key
          then(login)
        case .unsupported(let why):
          login.problems.append("\(file.path): \(why)")
          then(login)
        case .needsPassphrase: login.askForPassphrase(index, file.path, attempt: 0, then)
        case .wrongPassphrase:
          if attempt + 1 < LoginMachine.largestAttemptCount {
            login.askForPassphrase(index, file.path, attempt: attempt + 1, then)
          } else {
            login.problems.append("\(file.path): the passphrase is wrong")
            then(login)
          }
        }
      }
    }
  }

  private func askForPassphrase(
    _ index: Int, _ path: String, attempt: Int, _ then: @escaping @Sendable (LoginDriver) -> Void
  ) {
    let authenticator = driver.options.authenticator
    driver.ask({ try await authenticator.passphrase(forKeyFile: path, attempt: attempt) }) { driver, answer in
      driver.withLogin { login in
        switch answer {
        case .success(let passphrase?): login.open(index, attempt: attempt, passphrase: passphrase, then)
        case .success(nil):
          login.problems.append("\(path): \(attempt == 0 ? "no passphrase was given" : "the passphrase is wrong")")
          then(login)
        case .failure(let error): login.give(up: error)
        }
      }
    }
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

  private func give(up error: any Error) {
    activity = .failed(Self.failure(error, login))
  }

  private static func failure(_ error: any Error, _ login: String) -> SSHFailure {
    (error as? SSHFailure)
      ?? SSHFailure(.loginFailed, "\(login) was not let in: \(error.localizedDescription)", underlying: error)
  }
}
