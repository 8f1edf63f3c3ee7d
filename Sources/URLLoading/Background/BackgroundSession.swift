internal import URLLoadingBase

/// The program's side of a background session: the connection to the transfer service, which is made anew where it is lost, and the tasks that
/// the service has.
///
/// A thread of its own connects and receives; whoever sends does so on its own thread.
///
/// Mutable state: `state`, guarded by its lock.
final class BackgroundSession: Sendable {
  private enum Phase {
    case connecting
    case attached
    case failed(BackgroundServiceError)
    /// The session was invalidated.
    case ended
  }

  /// A command that the service has not answered. It is sent again where the connection was lost: the service takes each once.
  private struct Unanswered {
    let command: BackgroundCommand
    let answered: (@Sendable (BackgroundReport?) -> Void)?
  }

  /// What is done when the service was told of some ends.
  private struct EndWaiter {
    var ends: Set<Int>
    let action: @Sendable () -> Void
  }

  private struct State {
    var phase = Phase.connecting
    var socket: BackgroundSocket?
    var lastNumber = 0
    var unanswered: [Int: Unanswered] = [:]
    var tasks: [Int: BackgroundTask] = [:]
    /// What waits for the tasks of the session.
    var waiters: [@Sendable () -> Void] = []
    /// The commands among these that end a task, by that.
    var endings: Set<Int> = []
    /// The folder that files to upload are copied to.
    var files: String?
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

    /// The tasks that the service was to have, and has not: its queue was damaged or removed.
    func lostTasks(besides told: Set<Int>) -> [BackgroundTask] {
      // Where the service has not answered, it will be asked again.
      let unsettled = Set(
        unanswered.values.compactMap { $0.command.createdTask?.identifier ?? $0.command.endedTask })
      return tasks.filter { !told.contains($0.key) && !unsettled.contains($0.key) }.values.sorted {
        $0.identifier < $1.identifier
      }
    }
  }

  /// How often the service is looked for, a second apart on average, before tasks fail.
  private static let attempts = 10
  /// The longest time that a command is waited for, in seconds.
  private static let longestWait = 30.0

  private let description: BackgroundSessionDescription
  private let place: BackgroundServicePlace
  private let state = Locked(State())

  init(_ description: BackgroundSessionDescription, place: BackgroundServicePlace) {
    self.description = description
    self.place = place
  }

  /// Connects, and resumes the tasks of earlier sessions with this identifier in `session`.
  func begin(_ session: URLSession) {
    state.withLock { $0.session = session }
    let thread = Thread { [self] in run() }
    thread.name = "URLLoading background"
    thread.start()
  }

  /// The session was invalidated, or nobody has it any more: its tasks stay with the service.
  func end() {
    let (socket, waiters) = state.withLock { state in
      defer { state.waiters = [] }
      state.phase = .ended
      return (state.socket, state.waiters)
    }
    socket?.end()
    for waiter in waiters { waiter() }
  }

  // MARK: For tasks

  /// Waits until the tasks of the session are known.
  /// - Returns: why they will not be; nil where they are.
  func waitUntilAttached() -> BackgroundServiceError? {
    let semaphore = DispatchSemaphore(value: 0)
    let waits = whenAttached { semaphore.signal() }
    if waits { semaphore.wait() }
    return failure
  }

  /// Calls `action`, on any thread, when the tasks of the session are known, or will not be.
  /// - Returns: false where that is so already; then there is no call.
  func whenAttached(_ action: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      guard case .connecting = state.phase else { return false }
      state.waiters.append(action)
      return true
    }
  }

  /// Returns when the tasks of the session are known, or will not be.
  func attached() async {
    await withUnsafeContinuation { continuation in
      if !whenAttached({ continuation.resume() }) { continuation.resume() }
    }
  }

  /// Where files to upload are copied to; nil before the service has said that.
  var files: String? { state.withLock { $0.files } }

  /// Makes a task, and has the service make it.
  ///
  /// Tasks reach the service in the order of their numbers: it takes one with a smaller number than the last for a repetition.
  /// - Returns: nil where the description is longer than any command may be.
  func create(_ description: BackgroundTaskDescription, number: () -> Int) -> BackgroundTask? {
    state.withLock { state in
      var description = description
      description.identifier = number()
      let task = BackgroundTask(identifier: description.identifier, session: self, isResumed: false)
      state.tasks[task.identifier] = task
      guard Self.send(.create(task: description), answered: nil, &state) != .tooLong else {
        state.tasks[task.identifier] = nil
        return nil
      }
      return task
    }
  }

  private func add(_ task: BackgroundTask) { state.withLock { $0.tasks[task.identifier] = task } }

  /// Forgets a task that has ended, of which the service was told.
  func forget(_ identifier: Int) {
    releaseEnd(of: identifier)
    let waiters = state.withLock { state -> [@Sendable () -> Void] in
      state.tasks[identifier] = nil
      state.endsBeingTaken.remove(identifier)
      for index in state.endWaiters.indices { state.endWaiters[index].ends.remove(identifier) }
      let due = state.endWaiters.filter(\.ends.isEmpty).map(\.action)
      state.endWaiters.removeAll(where: \.ends.isEmpty)
      return due
    }
    for waiter in waiters { waiter() }
  }

  /// The end of a task takes no memory any more, or may take long: more of the list may come.
  func releaseEnd(of identifier: Int) {
    if let piece = state.withLock({ $0.heldEnds.release(identifier) }) { acknowledge(piece) }
  }

  private func acknowledge(_ piece: Int) {
    let command = NumberedCommand(number: 0, command: .tookPiece(number: piece))
    // A piece of an earlier connection is none of this one, or an earlier one.
    if let bytes = BackgroundFrames.encoded(command) { _ = state.withLock { $0.socket }?.send(bytes) }
  }

  /// Calls `action`, on any thread, when the service was told of all ends that delegates have heard of by now.
  private func whenEndsAreTaken(_ action: @escaping @Sendable () -> Void) {
    let isDue = state.withLock { state in
      if !state.endsBeingTaken.isEmpty {
        state.endWaiters.append(EndWaiter(ends: state.endsBeingTaken, action: action))
      }
      return state.endsBeingTaken.isEmpty
    }
    if isDue { action() }
  }

  /// Takes no further event, and returns when the service was told of the ends that were taken: the others are the next session's.
  func leave() async {
    state.withLock { $0.isLeaving = true }
    await withUnsafeContinuation { continuation in whenEndsAreTaken { continuation.resume() } }
  }

  /// - Returns: false where the command is longer than any may be.
  @discardableResult
  func send(
    _ command: BackgroundCommand, answered: (@Sendable (BackgroundReport?) -> Void)? = nil
  ) -> Bool {
    // Numbers go out in their order: the service may see a `resume` only after its `create`.
    let sending = state.withLock { Self.send(command, answered: answered, &$0) }
    // Not under the lock: whoever waits may send again.
    if sending == .unreachable { answered?(nil) }
    return sending != .tooLong
  }

  private enum Sending { case sent, unreachable, tooLong }

  private static func send(
    _ command: BackgroundCommand, answered: (@Sendable (BackgroundReport?) -> Void)?, _ state: inout State
  ) -> Sending {
    state.lastNumber += 1
    let number = state.lastNumber
    let numbered = NumberedCommand(number: number, command: command)
    guard let bytes = BackgroundFrames.encoded(numbered) else { return .tooLong }
    switch state.phase {
    case .connecting, .attached: break
    case .failed, .ended: return .unreachable
    }
    state.unanswered[number] = Unanswered(command: command, answered: answered)
    if let ended = command.endedTask { state.endings.insert(ended) }
    if case .attached = state.phase { _ = state.socket?.send(bytes) }
    return .sent
  }

  /// Why the service cannot be used; nil where it can, or may.
  var failure: BackgroundServiceError? {
    if case .failed(let error) = state.withLock({ $0.phase }) { error } else { nil }
  }

  /// Returns when what a command changes is on the service's disk, or will not be.
  func sendAndWait(_ command: BackgroundCommand) {
    let semaphore = DispatchSemaphore(value: 0)
    guard send(command, answered: { _ in semaphore.signal() }) else { return }
    // A service whose disk does not answer keeps nobody for ever; the command is carried out when it does.
    _ = semaphore.wait(timeout: .now() + Self.longestWait)
  }

  func requestResumeData(of task: Int, _ handler: @escaping @Sendable (Data?) -> Void) {
    send(.cancel(task: task, wantsResumeData: true)) { report in
      if case .resumeData(_, let data) = report { handler(data) } else { handler(nil) }
    }
  }

  // MARK: The thread

  private func run() {
    var attempt = 0
    var lastError = BackgroundServiceError.noAnswer(reason: "it ended")
    while !hasEnded {
      do throws(BackgroundServiceError) {
        let socket = try connect()
        state.withLock { state in
          state.socket = socket
          state.heldEnds.beginConnection()
        }
        if hasEnded { socket.end() }
        if try converse(over: socket) { attempt = 0 }
      } catch {
        lastError = error
        guard error.mayPass else { break }
      }
      state.withLock { state in
        state.socket = nil
        if case .attached = state.phase { state.phase = .connecting }
      }
      attempt += 1
      if attempt > Self.attempts { break }
      // The service may be about to take over from an older one, or to be started by somebody else.
      if !hasEnded { Thread.sleep(forTimeInterval: min(2, 0.05 * Double(1 << min(attempt, 6)))) }
    }
    fail(lastError)
  }

  private var hasEnded: Bool { state.withLock { if case .ended = $0.phase { true } else { false } } }

  /// Connects to the service, which is started where nobody listens.
  private func connect() throws(BackgroundServiceError) -> BackgroundSocket {
    try place.prepareRuntimeDirectory()
    if let socket = try? BackgroundSocket(to: place) { return socket }
    try place.startService()
    let deadline = MonotonicInstant.now.advanced(by: .seconds(10))
    // One that was ended as it began says nothing: it is started again. Where it only takes its time, the second one ends at its lock.
    var patience = Duration.seconds(1)
    var nextStart = MonotonicInstant.now.advanced(by: patience)
    while true {
      do { return try BackgroundSocket(to: place) } catch {
        guard MonotonicInstant.now < deadline, !hasEnded else { throw error }
      }
      if nextStart <= .now {
        try place.startService()
        patience *= 2
        nextStart = .now.advanced(by: patience)
      }
      Thread.sleep(forTimeInterval: 0.01)
    }
  }

  /// Attaches, and takes reports until the connection ends.
  /// - Returns: whether the session was attached.
  private func converse(over socket: BackgroundSocket) throws(BackgroundServiceError) -> Bool {
    greet(socket)
    var wasAttached = false
    var told: Set<Int> = []
    while let report = socket.receive() {
      switch report {
      // Both sides use the smaller version, and this program has the smallest.
      case .welcome(_, _, let files): state.withLock { $0.files = files }
      case .task(let task, let isSuspended):
        told.insert(task.identifier)
        adopt(task, isSuspended: isSuspended)
      case .attached(let next):
        wasAttached = true
        attached(next: next, told: told, over: socket)
      case .caughtUp: caughtUp()
      case .piece(let number):
        if let piece = state.withLock({ $0.heldEnds.received(piece: number) }) { acknowledge(piece) }
      case .done(let number), .resumeData(let number, _), .jobs(let number, _), .limits(let number, _):
        answered(number, by: report)
      case .refused(0, let code, let reason): throw .refused(code: code, reason: reason)
      case .refused(let number, _, _): answered(number, by: report)
      case .event(let task, let event): take(event, of: task)
      }
    }
    return wasAttached
  }

  private func greet(_ socket: BackgroundSocket) {
    let commands: [BackgroundCommand] = [
      .hello(
        version: BackgroundWire.version, package: PackageVersion.current, program: place.findProgram()),
      .attach(session: description),
    ]
    for command in commands {
      if let bytes = BackgroundFrames.encoded(NumberedCommand(number: 0, command: command)) { _ = socket.send(bytes) }
    }
  }

  /// Resumes a task of an earlier session in this one. One that has ended here, which the service was killed before it knew, stays so.
  private func adopt(_ description: BackgroundTaskDescription, isSuspended: Bool) {
    let identifier = description.identifier
    let (isKnown, session) = state.withLock { state in
      (
        state.tasks[identifier] != nil || state.endings.contains(identifier), state.session
      )
    }
    guard !isKnown, let session else { return }
    let task = BackgroundTask(identifier: description.identifier, session: self, isResumed: !isSuspended)
    add(task)
    session.adopt(task, description, isSuspended: isSuspended)
  }

  /// - Parameter told: the tasks that the service has. Where there are some, it will say when the events of these are told.
  private func attached(next: Int, told: Set<Int>, over socket: BackgroundSocket) {
    let (waiters, lost) = state.withLock { state -> ([@Sendable () -> Void], [BackgroundTask]) in
      guard case .connecting = state.phase else { return ([], []) }
      state.session?.taskRegistry.skipIdentifiers(below: next)
      state.phase = .attached
      if told.isEmpty { state.hasCaughtUp = true }
      let lost = state.lostTasks(besides: told)
      for (number, unanswered) in state.unanswered.sorted(by: { $0.key < $1.key }) {
        let command = NumberedCommand(number: number, command: unanswered.command)
        if let bytes = BackgroundFrames.encoded(command) { _ = socket.send(bytes) }
      }
      defer { state.waiters = [] }
      return (state.waiters, lost)
    }
    for waiter in waiters { waiter() }
    for task in lost {
      task.refuse(
        BackgroundFailure(
          URLError(.backgroundSessionWasDisconnected, message: "The transfer service has lost this task.", url: nil)))
    }
  }

  private func caughtUp() {
    // A service that was started again has nothing that waited for the program.
    let session = state.withLock { exchange(&$0.hasCaughtUp, with: true) ? nil : $0.session }
    guard let session else { return }
    // A program that ends in this method does not hear of these ends again.
    whenEndsAreTaken {
      // Behind the calls that the events of before have put into the queue.
      session.delegateQueue.addOperation {
        session.delegate?.urlSessionDidFinishEvents(forBackgroundURLSession: session)
      }
    }
  }

  private func answered(_ number: Int, by report: BackgroundReport) {
    let (unanswered, task, files) = state.withLock { state in
      let unanswered = state.unanswered.removeValue(forKey: number)
      if let ended = unanswered?.command.endedTask { state.endings.remove(ended) }
      return (unanswered, unanswered?.command.createdTask.flatMap { state.tasks[$0.identifier] }, state.files)
    }
    unanswered?.answered?(report)
    if case .refused(_, let code, let reason) = report {
      if let body = unanswered?.command.createdTask?.body, let files { unlink("\(files)/\(body)") }
      let error = URLError(URLError.Code(rawValue: code) ?? .unknown, message: reason, url: nil)
      task?.refuse(BackgroundFailure(error))
    }
  }

  private func take(_ event: BackgroundEvent, of identifier: Int) {
    let isEnd = if case .ended = event { true } else { false }
    let (task, isLeaving) = state.withLock { state in
      let task = state.tasks[identifier]
      // That of a task that was not resumed waits for it.
      let isTaken = isEnd && task?.hasBegun == true && !state.isLeaving
      if isTaken { state.endsBeingTaken.insert(identifier) }
      state.heldEnds.receive(event, of: identifier, isHeld: isTaken && task?.isSuspended == false)
      return (task, state.isLeaving)
    }
    guard !isLeaving else { return }
    // The program took the end of a task that it has forgotten, and the service does not know.
    if let task { task.receive(event) } else if isEnd { send(.tookEnd(task: identifier)) }
  }

  private func fail(_ error: BackgroundServiceError) {
    let (waiters, unanswered, tasks) = state.withLock { state in
      if case .ended = state.phase {} else { state.phase = .failed(error) }
      defer {
        state.waiters = []
        (state.unanswered, state.endings) = ([:], [])
      }
      return (state.waiters, state.unanswered, state.tasks)
    }
    for waiter in waiters { waiter() }
    for command in unanswered.values { command.answered?(nil) }
    guard !hasEnded else { return }
    var outcome = BackgroundOutcome()
    outcome.error = BackgroundFailure(error.error(for: nil))
    for task in tasks.values { task.receive(.ended(outcome)) }
  }
}

extension BackgroundCommand {
  /// The task that the command makes.
  fileprivate var createdTask: BackgroundTaskDescription? { if case .create(let task) = self { task } else { nil } }

  /// The task that its program wants nothing of any more.
  fileprivate var endedTask: Int? {
    switch self {
    case .tookEnd(let task), .cancel(let task, _): task
    default: nil
    }
  }
}

/// What both sides of the socket have to agree on.
package enum BackgroundWire {
  /// The version of the protocol; <doc:Architecture> has what it says.
  package static let version = 2
}
