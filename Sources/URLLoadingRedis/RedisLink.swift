internal import URLLoadingBase

/// What a connection to Redis does with commands: connects for the first one, holds those that come meanwhile, and gives up on all of them
/// when one was not answered in time. After a failure it refuses commands for a while: a server that is dead must not cost each load a
/// wait.
struct RedisLink {
  private enum State: Equatable {
    case idle
    case connecting
    case ready
    case failed(until: MonotonicInstant)
  }

  /// What happens to a command.
  enum RequestAction: Equatable {
    /// Queue it, and connect.
    case connect
    /// Queue it until the connection is there.
    case queue
    case send
    /// It has no answer.
    case refuse
  }

  /// What happens when the first deadline is reached.
  enum DeadlineAction: Equatable {
    /// Nothing waits.
    case none
    /// Look again at that time.
    case look(MonotonicInstant)
    /// End the connection: all commands have no answer.
    case disconnect
  }

  /// How long an answer may take, from the command on.
  let timeout: Duration
  /// How long nothing is tried after a failure.
  let pause: Duration
  /// What a network moves that is not broken: 5 MB a second.
  private static let leastBytesPerMillisecond: Int64 = 5000
  private var state = State.idle
  /// When the unanswered commands have to be answered, in order: answers come in the order of the commands.
  private var deadlines: [MonotonicInstant] = []
  private var answered = 0

  init(timeout: Duration, pause: Duration) {
    self.timeout = timeout
    self.pause = pause
  }

  /// Commands that were queued or sent, and have no answer yet.
  var waitingCount: Int { deadlines.count - answered }

  /// - Parameter bytes: how many the command and its answer have; many take longer.
  mutating func requested(at now: MonotonicInstant, moving bytes: Int64 = 0) -> RequestAction {
    if case .failed(let until) = state {
      guard until <= now else { return .refuse }
      state = .idle
    }
    let moving = Duration.milliseconds(bytes / Self.leastBytesPerMillisecond)
    deadlines.append(max(now.advanced(by: timeout + moving), deadlines.last ?? now))
    switch state {
    case .ready: return .send
    case .connecting: return .queue
    case .idle, .failed:
      state = .connecting
      return .connect
    }
  }

  /// The connection is there: what was queued is sent.
  mutating func connected() { state = .ready }

  mutating func gotAnswer() {
    answered = min(answered + 1, deadlines.count)
    // Dropped in batches.
    guard answered > 256 || answered == deadlines.count else { return }
    deadlines.removeFirst(answered)
    answered = 0
  }

  /// The connection is gone, or could not be made: nothing that waits is answered.
  mutating func failed(at now: MonotonicInstant) {
    state = .failed(until: now.advanced(by: pause))
    deadlines = []
    answered = 0
  }

  /// The server has ended a connection that nothing waited for: the next command makes another one.
  mutating func closed(at now: MonotonicInstant) {
    if waitingCount > 0 || state == .connecting { return failed(at: now) }
    state = .idle
  }

  func deadlineReached(at now: MonotonicInstant) -> DeadlineAction {
    guard answered < deadlines.count else { return .none }
    return deadlines[answered] <= now ? .disconnect : .look(deadlines[answered])
  }
}
