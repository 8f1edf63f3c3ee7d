internal import URLLoadingBase
internal import URLLoadingCLinux

/// The program's side of a background session: the connection to the transfer service, which is made anew where it is lost, and the tasks that
/// the service has.
///
/// A thread of its own connects, receives, and sends what the socket does not take at once: no other thread waits for the service.
///
/// Mutable state: `state`, guarded by its lock.
final class BackgroundSession: Sendable {
  /// How often the service is looked for, a second apart on average, before tasks fail.
  private static let attempts = 10
  /// The longest time that resume data is waited for, in seconds.
  private static let longestWait = 30.0
  /// How long tasks are waited for that are asked for.
  static let patience = Duration.seconds(5)

  private let description: BackgroundSessionDescription
  private let place: BackgroundServicePlace
  let state = Locked(BackgroundSessionState(), rank: .backgroundSession)
  private let numbers: BackgroundNumbers?
  /// The first number of tasks where nobody knows which ones are free: larger than any that a session counts up to, and than those that an
  /// earlier session began with.
  private let firstUnknownNumber = 1 << 50 + Int(Date().timeIntervalSince1970 * 1000) << 10

  /// Why none of its tasks can be made, in words; nil where they can.
  let unsendableReason: String?

  init(_ description: BackgroundSessionDescription, place: BackgroundServicePlace, unsendableReason: String? = nil) {
    self.description = description
    self.place = place
    self.unsendableReason = unsendableReason
    numbers = place.stateDirectory.map { [identifier = description.identifier] in
      BackgroundNumbers(in: $0, session: identifier)
    }
  }

  /// Connects, and resumes the tasks of earlier sessions with this identifier in `session`.
  func begin(_ session: URLSession) {
    state.withLock { $0.session = session }
    BackgroundExit.watch(self)
    BlockingThread.run(name: "URLLoading background") { [self] in run() }
  }

  /// The session was invalidated, or nobody has it any more: its tasks stay with the service.
  func end() {
    let (socket, waiters) = state.withLock { state in
      // The tasks that were cancelled with the session are so in the service, too.
      state.sendUnsent(atMost: .max)
      state.phase = .ended
      return (state.socket, state.waiters.takeAll())
    }
    socket?.endWhenSent()
    for waiter in waiters { waiter() }
  }

  // MARK: For tasks

  /// Calls `action`, on any thread, when the session's tasks are known and the service has answered what it was told by now, or nobody
  /// expects that any more.
  /// - Parameters:
  ///   - limit: how long that may take.
  ///   - action: gets false where it has taken longer.
  func whenSettled(
    within limit: Duration = BackgroundSession.patience, _ action: @escaping @Sendable (_ isSettled: Bool) -> Void
  ) {
    let key = state.withLock { state -> Int? in
      if case .failed = state.phase { return nil }
      if case .ended = state.phase { return nil }
      let remaining = state.remainingCommands
      if case .attached = state.phase, remaining == 0 { return nil }
      return state.waiters.add(last: state.lastNumber, remaining: remaining) { action(true) }
    }
    guard let key else { return action(true) }
    DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(limit.wholeNanoseconds))) { [self] in
      if state.withLock({ $0.waiters.take(key) }) != nil { action(false) }
    }
  }

  /// The same for who can wait for it.
  func settled(within limit: Duration = BackgroundSession.patience) async -> Bool {
    await withUnsafeContinuation { continuation in
      whenSettled(within: limit) { continuation.resume(returning: $0) }
    }
  }

  /// Why the service says nothing, as far as that is known.
  var silence: BackgroundServiceError {
    failure ?? state.withLock { $0.lastError } ?? .noAnswer(reason: "it has said nothing yet")
  }

  /// How many commands that change tasks the service has not answered.
  var untoldCommands: Int {
    state.withLock { state in
      switch state.phase {
      case .connecting, .attached: state.remainingCommands
      case .failed, .ended: 0
      }
    }
  }

  /// The folder that a file to upload is copied to: the service's, or where that one is before it has said so.
  /// - Returns: nil where there is none.
  var uploadFolder: String? {
    if let files = state.withLock({ $0.files }) { return files }
    guard let folder = place.filesDirectory else { return nil }
    try? FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return folder
  }

  /// A number that no task of the session has had, whichever process has made it.
  func nextNumber(_ registry: TaskRegistry) -> Int {
    let (hasFailed, wasAttached) = state.withLock { ($0.hasFailed, $0.wasAttached) }
    return registry.nextIdentifier { number(atLeast: $0, hasFailed: hasFailed, wasAttached: wasAttached) }
  }

  private func number(atLeast smallest: Int, hasFailed: Bool, wasAttached: Bool) -> Int? {
    // No service hears of the task, which fails.
    if hasFailed { return nil }
    return numbers?.take(atLeast: smallest) ?? (wasAttached ? nil : max(smallest, firstUnknownNumber))
  }

  /// Makes a task, and has the service make it.
  ///
  /// Tasks reach the service in the order of their numbers: it takes one with a smaller number than the last for a repetition.
  /// - Parameter folder: where the file to upload is.
  /// - Returns: nil where the description is longer than any command may be.
  func create(
    _ description: BackgroundTaskDescription, in registry: TaskRegistry, folder: String?
  ) -> BackgroundTask? {
    let folder = settledFolder(of: description.body, in: folder)
    return state.withLock { state in
      var description = description
      let (hasFailed, wasAttached) = (state.hasFailed, state.wasAttached)
      description.identifier = registry.nextIdentifier {
        number(atLeast: $0, hasFailed: hasFailed, wasAttached: wasAttached)
      }
      let task = BackgroundTask(identifier: description.identifier, session: self, isResumed: false)
      state.tasks[task.identifier] = task
      state.untold.insert(task.identifier)
      if let body = description.body, let folder { Self.place(body, in: folder, &state) }
      guard state.send(.create(task: description), answered: nil) != .tooLong else {
        state.tasks[task.identifier] = nil
        state.untold.remove(task.identifier)
        return nil
      }
      return task
    }
  }

  private func add(_ task: BackgroundTask) { state.withLock { $0.tasks[task.identifier] = task } }

  /// Forgets a task that has ended, of which the service was told.
  func forget(_ task: BackgroundTask) {
    let identifier = task.identifier
    // Another one may have its number.
    guard state.withLock({ $0.tasks[identifier] === task }) else { return }
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
    // A service passes over a number that it has not sent on this connection, as that of a piece of an earlier one may be.
    if let bytes = BackgroundFrames.encoded(command) { state.withLock { $0.socket }?.post(bytes) }
  }

  /// Calls `action`, on any thread, when the service was told of all ends that delegates have heard of by now.
  private func whenEndsAreTaken(_ action: @escaping @Sendable () -> Void) {
    let isDue = state.withLock { state in
      if !state.endsBeingTaken.isEmpty {
        state.endWaiters.append(BackgroundSessionState.EndWaiter(ends: state.endsBeingTaken, action: action))
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
    let sending = state.withLock { $0.send(command, answered: answered) }
    // Not under the lock: whoever waits may send again.
    if sending == .unreachable { answered?(nil) }
    return sending != .tooLong
  }

  /// Why the service cannot be used; nil where it can, or may.
  var failure: BackgroundServiceError? {
    if case .failed(let error) = state.withLock({ $0.phase }) { error } else { nil }
  }

  func requestResumeData(of task: Int, _ handler: @escaping @Sendable (Data?) -> Void) {
    let waiting = OneCallHandler(handler)
    send(.cancel(task: task, wantsResumeData: true)) { report in
      if case .resumeData(_, let data) = report { waiting.call(data) } else { waiting.call(nil) }
    }
    // The service cancels the task when it answers.
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.longestWait) { waiting.call(nil) }
  }

  // MARK: The thread

  private func run() {
    var attempt = 0
    var lastError = BackgroundServiceError.noAnswer(reason: "it ended")
    var started: StartedService?
    while !hasEnded {
      do throws(BackgroundServiceError) {
        let socket = try connect(&started)
        state.withLock { state in
          state.socket = socket
          state.heldEnds.beginConnection()
        }
        if hasEnded { socket.end() }
        if try converse(over: socket) {
          attempt = 0
        } else if let started, started.hasEnded(within: 500) {
          // It listens before it has opened its queue.
          throw .died(started.path, words: started.words)
        }
      } catch {
        lastError = error
        state.withLock { $0.lastError = error }
        guard error.mayPass else { break }
      }
      state.withLock { state in
        state.socket = nil
        if case .attached = state.phase { state.phase = .connecting }
      }
      attempt += 1
      if attempt > Self.attempts { break }
      // The service may be about to take over from an older one, or to be started by somebody else.
      if !hasEnded { usleep(useconds_t(min(2_000_000, 50_000 << min(attempt, 6)))) }
    }
    fail(lastError)
  }

  private var hasEnded: Bool { state.withLock { if case .ended = $0.phase { true } else { false } } }

  /// Connects to the service, which is started where nobody listens.
  /// - Parameter started: the one that was started last.
  private func connect(_ started: inout StartedService?) throws(BackgroundServiceError) -> BackgroundSocket {
    try place.prepareRuntimeDirectory()
    if let socket = try? BackgroundSocket(to: place) { return socket }
    // One that waits for the lock of another is not joined by more.
    if started?.isRunning != true { started = try place.startService() }
    let deadline = MonotonicInstant.now.advanced(by: .seconds(10))
    while true {
      // Before the look at the socket: what has ended by now has not listened since.
      let hasDied = started?.hasEnded == true
      do { return try BackgroundSocket(to: place) } catch {
        // Another one that has the queue listens soon, or again.
        if hasDied, let started, place.serviceProcess == nil { throw .died(started.path, words: started.words) }
        guard MonotonicInstant.now < deadline, !hasEnded else {
          throw place.serviceProcess.map { .unreachable(process: $0, path: place.socketPath) } ?? error
        }
      }
      usleep(10_000)
    }
  }

  /// Attaches, and takes reports until the connection ends.
  /// - Returns: whether the session was attached.
  private func converse(over socket: BackgroundSocket) throws(BackgroundServiceError) -> Bool {
    greet(socket)
    var wasAttached = false
    var serviceVersion = 0
    var told: Set<Int> = []
    while let report = socket.receive(whenSent: { state.withLock { $0.sendUnsent() } }) {
      switch report {
      // Both sides use the smaller version, and its messages are those of the smallest.
      case .welcome(let version, _, let files):
        serviceVersion = version
        welcomed(files)
      case .task(let task, let isSuspended):
        told.insert(task.identifier)
        adopt(task, isSuspended: isSuspended)
      case .attached(let next):
        // What no service says that has numbers for tasks.
        guard (1...1 << 60).contains(next) else { return false }
        if let words = description.lack(ofServiceWithVersion: serviceVersion) { throw .olderService(lacks: words) }
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
      if let bytes = BackgroundFrames.encoded(NumberedCommand(number: 0, command: command)) { socket.post(bytes) }
    }
  }

  /// Resumes a task of an earlier session in this one. One that has ended here, which the service was killed before it knew, stays so.
  private func adopt(_ description: BackgroundTaskDescription, isSuspended: Bool) {
    let identifier = description.identifier
    let (clash, isKnown, session) = state.withLock { state in
      (
        state.takeClash(with: identifier),
        state.tasks[identifier] != nil || state.endings.contains(identifier), state.session
      )
    }
    clash?.sever(
      BackgroundFailure(
        URLError(
          .backgroundSessionWasDisconnected,
          message:
            "The transfer service has another task with the number \(identifier), which nobody could know: make a new one.",
          url: nil)))
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
      state.wasAttached = true
      if told.isEmpty { state.hasCaughtUp = true }
      let lost = state.lostTasks(excluding: told)
      state.unsent = FIFO()
      for number in state.unanswered.keys.sorted() { state.unsent.append(number) }
      state.sendUnsent()
      return (state.waiters.takeDue(), lost)
    }
    // Other sessions with the identifier begin after it, in processes that know no more than the file.
    numbers?.raise(to: next)
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
      // After the calls that the events of before have put into the queue.
      session.delegateQueue.addOperation {
        session.delegate?.urlSessionDidFinishEvents(forBackgroundURLSession: session)
      }
    }
  }

  private func answered(_ number: Int, by report: BackgroundReport) {
    let (unanswered, task, files, waiters) = state.withLock { state in
      let unanswered = state.unanswered.removeValue(forKey: number)
      if let ended = unanswered?.command.endedTask { state.endings.remove(ended) }
      if unanswered?.command.isWaitedFor == true { state.waiters.answered(number) }
      return (
        unanswered, unanswered?.command.createdTask.flatMap { state.tasks[$0.identifier] }, state.files,
        state.waiters.takeDue()
      )
    }
    unanswered?.answered?(report)
    if case .refused(_, let code, let reason) = report {
      if let body = unanswered?.command.createdTask?.body, let files { unlink("\(files)/\(body)") }
      let error = URLError(URLError.Code(rawValue: code) ?? .unknown, message: reason, url: nil)
      task?.refuse(BackgroundFailure(error))
    }
    for waiter in waiters { waiter() }
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
    let (waiters, unanswered, tasks, files) = state.withLock { state in
      if case .ended = state.phase {} else { state.phase = .failed(error) }
      state.endings = []
      state.untold = []
      return (
        state.waiters.takeAll(), exchange(&state.unanswered, with: [:]), state.tasks,
        exchange(&state.misplacedFiles, with: [:])
      )
    }
    // No service was told of them.
    for (body, folder) in files { unlink("\(folder)/\(body)") }
    for waiter in waiters { waiter() }
    for command in unanswered.values { command.answered?(nil) }
    guard !hasEnded else { return }
    var outcome = BackgroundOutcome()
    outcome.error = BackgroundFailure(error.error(for: nil))
    for task in tasks.values { task.receive(.ended(outcome)) }
  }
}
