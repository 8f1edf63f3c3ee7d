internal import URLLoadingBase

/// What a background session knows of its connection, its tasks, and the commands that the service has not answered. It does no I/O but to hand
/// bytes to the socket, which keeps what it cannot send at once.
struct BackgroundSessionState {
  enum Phase {
    case connecting
    case attached
    case failed(BackgroundServiceError)
    /// The session was invalidated.
    case ended
  }

  /// A command that the service has not answered. It is sent again where the connection was lost: the service takes each once.
  struct Unanswered {
    let command: BackgroundCommand
    let answered: (@Sendable (BackgroundReport?) -> Void)?
  }

  /// What is done when the service was told of some ends.
  struct EndWaiter {
    var ends: Set<Int>
    let action: @Sendable () -> Void
  }

  /// Bytes that wait for the socket, before further commands wait as they are.
  static let sendingLimit = 256 << 10

  var phase = Phase.connecting
  var socket: BackgroundSocket?
  var lastNumber = 0
  var unanswered: [Int: Unanswered] = [:]
  /// The numbers of those that this connection has not sent, in their order.
  var unsent = FIFO<Int>()
  /// The session was attached: what numbers its tasks have had is known.
  var wasAttached = false
  /// Why the last attempt failed.
  var lastError: BackgroundServiceError?
  var tasks: [Int: BackgroundTask] = [:]
  /// The numbers of tasks that no connection was told of.
  var untold: Set<Int> = []
  /// What waits for the tasks of the session.
  var waiters = BackgroundWaiters()
  /// The commands among these that end a task, by that.
  var endings: Set<Int> = []
  /// The folder that the service has files in; nil before it has said so.
  var files: String?
  /// Files to upload that were copied to another one.
  var misplacedFiles: [String: String] = [:]
  /// What of the list the program may be sent.
  var heldEnds = HeldEnds()
  weak var session: URLSession?
  /// The program has heard of all that waited for it.
  var hasCaughtUp = false
  /// The tasks whose end the load has been told, and the service not yet that it was taken.
  var endsBeingTaken: Set<Int> = []
  /// What waits for some of these to be taken.
  var endWaiters: [EndWaiter] = []
  /// No event is taken any more.
  var isLeaving = false

  /// Commands that are waited for, and not answered.
  var remainingCommands: Int { unanswered.values.count { $0.command.isWaitedFor } }

  var hasFailed: Bool { if case .failed = phase { true } else { false } }

  /// Takes out a task that the service was not told of, where it has another one by its number, with all that it was to be told of it: that
  /// would be done to the other one.
  /// - Returns: nil also for one that has ended here.
  mutating func takeClash(with identifier: Int) -> BackgroundTask? {
    guard untold.remove(identifier) != nil else { return nil }
    for (number, command) in unanswered where command.command.subject == identifier {
      unanswered[number] = nil
      if let ended = command.command.endedTask { endings.remove(ended) }
      if command.command.isWaitedFor { waiters.answered(number) }
    }
    return tasks.removeValue(forKey: identifier)
  }

  /// The tasks that the service was to have, and has not: its queue was damaged or removed.
  func lostTasks(excluding told: Set<Int>) -> [BackgroundTask] {
    // Where the service has not answered, it will be asked again.
    let unsettled = Set(
      unanswered.values.compactMap { $0.command.createdTask?.identifier ?? $0.command.endedTask })
    return tasks.filter { !told.contains($0.key) && !unsettled.contains($0.key) }.values.sorted {
      $0.identifier < $1.identifier
    }
  }

  /// What became of a command.
  enum Sending { case sent, unreachable, tooLong }

  /// Numbers a command, and sends it as soon as the service can take it.
  mutating func send(
    _ command: BackgroundCommand, answered: (@Sendable (BackgroundReport?) -> Void)?
  ) -> Sending {
    lastNumber += 1
    let number = lastNumber
    let numbered = NumberedCommand(number: number, command: command)
    guard let bytes = BackgroundFrames.encoded(numbered) else { return .tooLong }
    switch phase {
    case .connecting, .attached: break
    case .failed, .ended: return .unreachable
    }
    unanswered[number] = Unanswered(command: command, answered: answered)
    if let ended = command.endedTask { endings.insert(ended) }
    if case .attached = phase, unsent.isEmpty, let socket,
      socket.waitingBytes < Self.sendingLimit
    {
      if let made = command.createdTask { untold.remove(made.identifier) }
      socket.post(bytes)
    } else {
      unsent.append(number)
    }
    return .sent
  }

  /// Sends commands that have waited.
  /// - Parameter limit: bytes that may wait for the socket.
  mutating func sendUnsent(atMost limit: Int = Self.sendingLimit) {
    guard case .attached = phase, let socket else { return }
    while socket.waitingBytes < limit, let number = unsent.popFirst() {
      guard let command = unanswered[number]?.command,
        let bytes = BackgroundFrames.encoded(NumberedCommand(number: number, command: command))
      else { continue }
      if let made = command.createdTask { untold.remove(made.identifier) }
      socket.post(bytes)
    }
  }
}
