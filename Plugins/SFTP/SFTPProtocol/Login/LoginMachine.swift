/// The order in which a login tries what there is: none, keys, questions, a password, as OpenSSH does. No I/O: events go in, named
/// actions come out.
struct LoginMachine {
  enum Action: Equatable {
    /// Ask the server what it accepts, which is also the try without a login.
    case listMethods
    case gatherKeys
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

  /// Tries with wrong answers or passwords (OpenSSH's NumberOfPasswordPrompts).
  static let largestAttemptCount = 3
  /// More keys than any server lets one try.
  static let largestKeyAttemptCount = 32
  private static let largestListCount = 4

  /// What the server accepts; nil until it has said so.
  private(set) var methods: [String]?
  private let isOpenSSH: Bool
  private var keyAttempts: [KeyAttempt]?
  private var triedKeys = 0
  private var lists = 0
  private var questionAttempts = 0
  private var passwordAttempts = 0
  private var isFinished = false

  /// - Parameter isOpenSSH: the server is OpenSSH's, which has signatures with RSA and SHA-2, and none with SHA-1 any more.
  init(isOpenSSH: Bool) {
    self.isOpenSSH = isOpenSSH
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

  /// - Parameter types: types of the keys there are, nil where it is not known yet.
  mutating func gathered(_ types: [String?]) -> Action {
    guard keyAttempts == nil else { return next() }
    var attempts: [KeyAttempt] = []
    var late: [KeyAttempt] = []
    for (index, type) in types.enumerated() {
      // A key that is not open yet gets its algorithms when it is; this one only gets it opened.
      let algorithms = type.map { KeyAlgorithm.all(forKeyType: $0) } ?? [.ed25519]
      for algorithm in algorithms {
        let attempt = KeyAttempt(key: index, algorithm: algorithm)
        switch algorithm {
        // A server that has the one nearly always has the other, and every try counts against the user.
        case .rsaSHA256: if isOpenSSH { late.append(attempt) }
        case .rsaSHA1: if !isOpenSSH { attempts.append(attempt) }
        default: attempts.append(attempt)
        }
      }
    }
    keyAttempts = Array((attempts + late).prefix(Self.largestKeyAttemptCount).reversed())
    return next()
  }

  /// A key was opened of which nothing was known before.
  mutating func opened(_ key: Int, type: String) -> Action {
    let algorithms = KeyAlgorithm.all(forKeyType: type).filter { algorithm in
      algorithm != .rsaSHA256 && !(algorithm == .rsaSHA1 && isOpenSSH)
    }
    keyAttempts?.append(contentsOf: algorithms.reversed().map { KeyAttempt(key: key, algorithm: $0) })
    return next()
  }

  /// The server does not take a key.
  /// - Parameter wasSigned: it knew the key, and wanted a signature. Then more than one thing may be needed to get in, and what it
  ///   accepts now may have changed.
  mutating func refusedKey(wasSigned: Bool) -> Action {
    wasSigned && lists < Self.largestListCount ? list() : next()
  }

  /// A key cannot be used, so the server was not asked.
  mutating func passedOver(_ key: Int) -> Action {
    keyAttempts?.removeAll { $0.key == key }
    return next()
  }

  /// - Parameter wasAnswered: false if nobody has answers.
  mutating func refusedAnswers(wasAnswered: Bool) -> Action {
    questionAttempts = wasAnswered ? questionAttempts + 1 : Self.largestAttemptCount
    return next()
  }

  /// - Parameter wasGiven: false if nobody has a password.
  mutating func refusedPassword(wasGiven: Bool) -> Action {
    // After the first one it may be that the server wants one more thing.
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
      guard keyAttempts != nil else { return .gatherKeys }
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
