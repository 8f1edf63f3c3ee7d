import Foundation
import URLLoading
internal import URLLoadingBase

/// What programs are told of their tasks, in pieces; <doc:Architecture> has the protocol.
extension TransferService {
  func tellPrograms() {
    for peer in peers.values {
      while peer.takesList, let step = peer.telling.next() {
        let before = peer.waitingCount
        take(step, for: peer)
        if let piece = peer.telling.told(peer.waitingCount - before) { peer.send(.piece(number: piece)) }
      }
    }
  }

  private func take(_ step: Telling.Step, for peer: Peer) {
    switch step {
    case .task(let number): tellTask(number, to: peer)
    case .attached: tellAttached(to: peer)
    case .end(let number): if let job = queue.jobs[number], job.state.phase == .ended { tellEnd(of: job, to: peer) }
    case .state(let number): tellState(of: number, to: peer)
    case .caughtUp: peer.send(.caughtUp)
    case .job(let number, let command):
      // A task that has gone meanwhile is left out.
      if let job = queue.jobs[number] { peer.jobs.append(described(job)) }
      if peer.jobs.isFull { sendJobs(command, to: peer) }
    case .jobsEnd(let command):
      sendJobs(command, to: peer)
      // The last batch is empty.
      peer.send(.jobs(number: command, []))
    }
  }

  // MARK: The tasks of a session

  private func tellTask(_ number: Int, to peer: Peer) {
    guard let job = queue.jobs[number], var description = description(of: number) else { return }
    description.hints = job.state.hints
    // It is the service's alone, and may be as long as the request.
    description.resumeData = nil
    let isSuspended = job.state.phase == .idle
    guard !peer.sendIfItFits(.task(description, isSuspended: isSuspended)) else { return }
    // No program of ours makes such a task. Its end is told all the same.
    description.request = Data()
    description.hints.label = nil
    peer.send(.task(description, isSuspended: isSuspended))
  }

  private func description(of number: Int) -> BackgroundTaskDescription? {
    let pending = changes.blobs[number]
    return pending?.description ?? pending?.newRequest ?? readStore { try $0.description(number) }
  }

  /// All tasks were told: what came of those that have ended, in their order, and how far the others are, comes next.
  private func tellAttached(to peer: Peer) {
    guard let identifier = peer.session, let session = sessions[identifier] else { return }
    peer.send(.attached(next: session.nextIdentifier))
    var ended: [(order: Int, number: Int)] = []
    var others: [Int] = []
    let numbers = queue.numbers(of: identifier)
    for number in numbers {
      guard let state = queue.jobs[number]?.state else { continue }
      if state.phase == .ended {
        ended.append((state.endOrder ?? 0, number))
      } else if state.phase == .asking || state.progress.received > 0 || state.progress.sent > 0 {
        others.append(number)
      }
    }
    ended.sort { $0 < $1 }
    for (_, number) in ended { peer.telling.append(.end(number)) }
    for number in others { peer.telling.append(.state(number)) }
    if !numbers.isEmpty { peer.telling.append(.caughtUp) }
  }

  private func tellState(of number: Int, to peer: Peer) {
    guard let job = queue.jobs[number], job.state.phase != .ended else { return }
    if job.state.progress.received > 0 || job.state.progress.sent > 0 {
      if let response = readStore({ try $0.stored(number) })?.response {
        peer.send(.event(task: job.identifier, .response(response)))
      }
      peer.send(.event(task: job.identifier, .progress(job.state.progress)))
    }
    if job.state.phase == .asking { programCame(job) }
  }

  // MARK: Ends

  private func tellEnd(of job: Job, to peer: Peer) {
    // What is not on the disk yet is told after its commit.
    guard changes.blobs[job.number]?.outcome == nil else { return }
    let stored = readStore { try $0.stored(job.number) }
    // The file was damaged, and the task went with it.
    guard queue.jobs[job.number] != nil else { return }
    var outcome = stored?.outcome ?? Self.unreadable
    outcome.tookFile = job.state.tookFile
    if let response = stored?.response, !peer.sendIfItFits(.event(task: job.identifier, .response(response))) {
      outcome.error = outcome.error ?? BackgroundFailure(Self.largeHead)
    }
    if job.state.tookFile || outcome.error != nil {
      outcome.file = nil
    } else if job.kind == .download, let file = outcome.file {
      // What the server has answered to an upload is read, and not moved.
      outcome.file = handed.secondName(of: file, job.number)
    }
    let shorter: [(inout BackgroundOutcome) -> Void] = [
      { _ in }, { $0.metrics = nil }, { $0.resumeData = nil },
      { $0.error = $0.error.map { BackgroundFailure(URLError(URLError.Code(rawValue: $0.code) ?? .unknown)) } },
    ]
    for change in shorter {
      change(&outcome)
      if peer.sendIfItFits(.event(task: job.identifier, .ended(outcome))) { return }
    }
  }

  private static var unreadable: BackgroundOutcome {
    var outcome = BackgroundOutcome()
    outcome.error = BackgroundFailure(
      URLError(
        .cannotOpenFile, message: "The queue of the transfer service cannot be read where it had this end.", url: nil))
    return outcome
  }

  /// A response has no room in a message with its head.
  static let largeHead = URLError(
    .dataLengthExceedsMaximum,
    message: "The head of the response is larger than 1 MiB, the most that a background task has.",
    url: nil)

  // MARK: For people

  func listJobs(_ command: Int, to peer: Peer) {
    // Nobody who waits for answers asks again before.
    guard peer.telling.count < Self.mostSteps else { return peer.end() }
    for number in queue.jobs.keys.sorted() { peer.telling.append(.job(number, command: command)) }
    peer.telling.append(.jobsEnd(command: command))
  }

  /// What one program may still be to be told.
  static let mostSteps = 1 << 20

  private func sendJobs(_ command: Int, to peer: Peer) {
    let jobs = peer.jobs.take()
    if jobs.isEmpty || peer.sendIfItFits(.jobs(number: command, jobs)) { return }
    // Escapes make JSON longer than what it stands for.
    for var job in jobs {
      if peer.sendIfItFits(.jobs(number: command, [job])) { continue }
      job.url = String(job.url.prefix(10_000)) + "…"
      job.failure = job.failure.map { String($0.prefix(10_000)) }
      peer.send(.jobs(number: command, [job]))
    }
  }
}
