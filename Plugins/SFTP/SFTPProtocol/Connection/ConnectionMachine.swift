/// Decides what a connection does next. A value that does no I/O.
struct ConnectionMachine {
  enum Phase: Equatable, Sendable {
    case idle
    /// Looking up the name, and connecting to the server or the host before it.
    case reaching
    case exchangingKeys
    case judgingHostKey
    case loggingIn
    case openingChannel
    case open
    case closed

    /// For messages: "… while <this>".
    var name: String {
      switch self {
      case .idle, .reaching: "connecting"
      case .exchangingKeys: "exchanging keys"
      case .judgingHostKey: "the host key was judged"
      case .loggingIn: "logging in"
      case .openingChannel: "opening a channel"
      case .open, .closed: "the channel was open"
      }
    }
  }

  enum Action {
    case reach
    case exchangeKeys
    case judgeHostKey
    case logIn
    case openChannel
    case announceOpen
    /// Report the end, once, and release everything.
    case close(SSHFailure?)
    case nothing
  }

  private(set) var phase = Phase.idle
  /// Questions to the user without an answer.
  private var openQuestions = 0
  private let goesThroughJump: Bool

  /// - Parameter goesThroughJump: the server is reached through a connection that has a deadline of its own.
  init(goesThroughJump: Bool = false) {
    self.goesThroughJump = goesThroughJump
  }

  /// Whether the deadline runs: until the channel is open, except while a question waits for its answer.
  var deadlineRuns: Bool {
    switch phase {
    case .idle, .open, .closed: false
    case .reaching: !goesThroughJump
    default: openQuestions == 0
    }
  }

  mutating func start() -> Action { move(from: .idle, to: .reaching, .reach) }

  mutating func reached() -> Action { move(from: .reaching, to: .exchangingKeys, .exchangeKeys) }

  mutating func exchangedKeys() -> Action { move(from: .exchangingKeys, to: .judgingHostKey, .judgeHostKey) }

  mutating func judgedHostKey(_ decision: HostKeyDecision) -> Action {
    if phase == .judgingHostKey, case .refuse(let failure) = decision { return close(failure) }
    return move(from: .judgingHostKey, to: .loggingIn, .logIn)
  }

  mutating func loggedIn() -> Action { move(from: .loggingIn, to: .openingChannel, .openChannel) }

  mutating func openedChannel() -> Action { move(from: .openingChannel, to: .open, .announceOpen) }

  mutating func askedQuestion() { openQuestions += 1 }

  mutating func gotAnswer() { openQuestions = max(0, openQuestions - 1) }

  mutating func deadlinePassed(server: String) -> Action {
    guard deadlineRuns else { return .nothing }
    return close(SSHFailure(.timedOut, "\(server) took too long while \(phase.name)"))
  }

  mutating func close(_ reason: SSHFailure?) -> Action {
    guard phase != .closed else { return .nothing }
    phase = .closed
    return .close(reason)
  }

  private mutating func move(from: Phase, to: Phase, _ action: Action) -> Action {
    // Work that was under way may end after the connection was closed.
    if phase == .closed { return .nothing }
    guard phase == from else {
      return close(SSHFailure(.protocolViolation, "the connection got from \(phase) to \(to) out of order"))
    }
    phase = to
    return action
  }
}
