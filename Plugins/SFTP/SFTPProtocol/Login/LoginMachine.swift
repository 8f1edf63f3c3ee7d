/// Decides in which order a login tries its methods: none, keys, questions, a password, as OpenSSH does. A value that does no I/O.
struct LoginMachine {
  enum Action: Equatable {
    /// Ask the server for its methods, which is also the attempt without a login.
    case listMethods
    case findKeys
    case tryKey(Int, KeyAlgorithm)
    case answerQuestions(attempt: Int)
    case givePassword(attempt: Int)
    case finish
    case giveUp
  }

  private struct KeyAttempt: Equatable {
    let key: Int
    let algorithm: KeyAlgorithm
  }

  /// Attempts with answers or passwords (OpenSSH's NumberOfPasswordPrompts).
  static let largestAttemptCount = 3
  /// More keys than servers allow.
  static let largestKeyAttemptCount = 32
  private static let largestListCount = 4

  /// The methods that the server accepts; nil before its reply.
  private(set) var methods: [String]?
  private let isOpenSSH: Bool
  private let libraryChooses: Bool
  private var keyAttempts: [KeyAttempt]?
  private var triedKeys = 0
  private var lists = 0
  private var questionAttempts = 0
  private var passwordAttempts = 0
  private var isFinished = false

  /// - Parameters:
  ///   - isOpenSSH: OpenSSH's server takes RSA signatures with SHA-2, and none with SHA-1.
  ///   - libraryChooses: whether libssh2 chooses the algorithm of a key that is offered as `ssh-rsa`.
  init(isOpenSSH: Bool, libraryChooses: Bool) {
    self.isOpenSSH = isOpenSSH
    self.libraryChooses = libraryChooses
  }

  mutating func start() -> Action { list() }

  mutating func listed(_ methods: [String]) -> Action {
    self.methods = methods
    return next()
  }

  mutating func accepted() -> Action {
    isFinished = true
    return .finish
  }

  /// - Parameter types: the keys' types; nil where it is not known before the key is open.
  mutating func foundKeys(_ types: [String?]) -> Action {
    guard keyAttempts == nil else { return next() }
    var attempts: [KeyAttempt] = []
    for (index, type) in types.enumerated() {
      // Of an unknown type any algorithm will do: the key is opened first, and then gets its own.
      let algorithms = type.map { KeyAlgorithm.all(forKeyType: $0) } ?? [.ed25519]
      attempts += algorithms.map { KeyAttempt(key: index, algorithm: $0) }
    }
    let inTurn = [Turn.inOrder, .last, .afterAll].flatMap { turn in
      attempts.filter { self.turn(of: $0.algorithm) == turn }
    }
    keyAttempts = Array(inTurn.prefix(Self.largestKeyAttemptCount).reversed())
    return next()
  }

  /// A key of unknown type was opened.
  mutating func opened(_ key: Int, type: String) -> Action {
    let algorithms = KeyAlgorithm.all(forKeyType: type)
    func attempts(_ turn: Turn) -> [KeyAttempt] {
      algorithms.filter { self.turn(of: $0) == turn }.reversed().map { KeyAttempt(key: key, algorithm: $0) }
    }
    keyAttempts = attempts(.afterAll) + attempts(.last) + (keyAttempts ?? []) + attempts(.inOrder)
    return next()
  }

  private enum Turn {
    case inOrder, last, afterAll, never
  }

  /// When a key's attempt with an algorithm is made.
  private func turn(of algorithm: KeyAlgorithm) -> Turn {
    switch algorithm {
    // libssh2 1.11 uses the name "ssh-rsa" for every key that follows one whose signatures the server does not take at all.
    case .rsaSHA1 where libraryChooses: .last
    case .rsaSHA1: isOpenSSH ? .never : .inOrder
    case .rsaSHA512 where libraryChooses: .never
    // Servers with SHA-512 nearly always have SHA-256 too, and each attempt counts against the user.
    case .rsaSHA256: isOpenSSH ? .afterAll : .never
    default: .inOrder
    }
  }

  /// The server refused a key.
  /// - Parameter wasSigned: the server had accepted the key itself: it may demand several methods, and its list may have changed.
  mutating func refusedKey(wasSigned: Bool) -> Action {
    wasSigned && lists < Self.largestListCount ? list() : next()
  }

  /// A key cannot be used, and was not offered.
  mutating func passedOver(_ key: Int) -> Action {
    keyAttempts?.removeAll { $0.key == key }
    return next()
  }

  /// - Parameter wasAnswered: false if there are no answers.
  mutating func refusedAnswers(wasAnswered: Bool) -> Action {
    questionAttempts = wasAnswered ? questionAttempts + 1 : Self.largestAttemptCount
    return next()
  }

  /// - Parameter wasGiven: false if there is no password.
  mutating func refusedPassword(wasGiven: Bool) -> Action {
    // After the first one the server may demand another method.
    let asksAgain = wasGiven && passwordAttempts == 0 && lists < Self.largestListCount && (methods?.count ?? 0) > 1
    passwordAttempts = wasGiven ? passwordAttempts + 1 : Self.largestAttemptCount
    return asksAgain ? list() : next()
  }

  private mutating func list() -> Action {
    lists += 1
    return .listMethods
  }

  private mutating func next() -> Action {
    if isFinished { return .finish }
    guard let methods else { return .giveUp }
    if methods.contains("publickey") {
      guard keyAttempts != nil else { return .findKeys }
      if let attempt = keyAttempts?.popLast() {
        triedKeys += 1
        if triedKeys <= Self.largestKeyAttemptCount { return .tryKey(attempt.key, attempt.algorithm) }
      }
    }
    if methods.contains("keyboard-interactive"), questionAttempts < Self.largestAttemptCount {
      return .answerQuestions(attempt: questionAttempts)
    }
    if methods.contains("password"), passwordAttempts < Self.largestAttemptCount {
      return .givePassword(attempt: passwordAttempts)
    }
    return .giveUp
  }
}
