import Foundation
import URLLoading
internal import URLLoadingBase

/// What programs say.
extension TransferService {
  func take(_ command: BackgroundCommand, _ number: Int, from peer: Peer) {
    if case .hello(let version, let package, let program) = command {
      return greet(peer, version: version, package: package, program: program)
    }
    // Whoever does not say who it is is no program of ours.
    guard peer.hasGreeted else { return peer.end() }
    switch command {
    case .hello: break
    case .attach(let description): attach(description, peer)
    case .tookPiece(let piece): peer.telling.took(piece)
    case .jobs: listJobs(number, to: peer)
    case .limits(let limits): setLimits(limits, number, peer)
    case .cancelJob(let job): control(job, number, peer) { cancelJob($0) }
    case .retryJob(let job):
      control(job, number, peer) { queue.retryNow($0.number, now: ServiceClock.shared.now) }
    case .answer(let question, let answer):
      take(answer, to: question, from: peer)
      launchHadEffect(peer)
      peer.acknowledge(.done(number: number))
    case .create(let task): create(task, number, peer)
    case .resume(let task): changeTask(task, number, peer) { queue.resume($0.number, now: ServiceClock.shared.now) }
    case .suspend(let task):
      changeTask(task, number, peer) { job in
        dropQuestions(of: job)
        if queue.suspend(job.number) { stopTransfer(of: job) }
      }
    case .update(let task, let hints):
      changeTask(task, number, peer) { job in
        queue.setHints(hints.shortened, of: job.number, now: ServiceClock.shared.now)
        transferSession(of: job)?.setPriority(hints.priority, of: job.number)
      }
    case .cancel(let task, false): changeTask(task, number, peer) { discard($0) }
    case .cancel(let task, true): cancelForResumeData(task, number, peer)
    case .tookFile(let task):
      changeTask(task, number, peer) { job in
        queue.tookFile(job.number)
        changes.files.append(TransferSession.bodyPath(job.number, in: files))
      }
    case .tookEnd(let task):
      changeTask(task, number, peer) { discard($0) }
      launchHadEffect(peer)
    }
  }

  private func greet(_ peer: Peer, version: Int, package: String, program: String?) {
    peer.hasGreeted = true
    peer.version = min(version, BackgroundWire.version)
    peer.send(
      .welcome(version: BackgroundWire.version, package: PackageVersion.current, files: files))
    peer.mayStartService =
      program.flatMap { FileVersion(path: $0) } != nil && version >= BackgroundWire.version
      && !VersionOrder.isNewer(PackageVersion.current, than: package)
    // The executable that the program would start takes over; this one would be no newer.
    guard let program, VersionOrder.isNewer(package, than: PackageVersion.current) || version > BackgroundWire.version,
      let other = FileVersion(path: program), other != FileVersion(path: "/proc/self/exe")
    else { return }
    handOver()
  }

  // MARK: Sessions

  private func attach(_ description: BackgroundSessionDescription, _ peer: Peer) {
    let identifier = description.identifier
    // The program starts the next service.
    if peer.mayStartService, lacksPlugins { handOver() }
    guard !isEnding, peer.session == nil else { return peer.end() }
    if let other = attached[identifier], other.hasEnded { drop(other) }
    if attached[identifier] != nil {
      return peer.send(
        .refused(
          number: 0, code: URLError.Code.backgroundSessionInUseByAnotherProcess.rawValue,
          reason: "Another session, of this program or another one, has the identifier \"\(identifier)\" at the moment."
        ))
    }
    peer.session = identifier
    attached[identifier] = peer
    launcher.cancel(identifier)
    let earlier = sessions[identifier]
    var session = earlier ?? QueueStore.StoredSession(description: description)
    session = described(session, by: description)
    if let earlier, (earlier.description, earlier.environments) != (session.description, session.environments),
      !queue.isLoading(tasksOf: identifier)
    {
      endTransferSessions(of: identifier)
    }
    // One that ends without an effect is started again at once, though no more often than any.
    session.nextLaunch = nil
    session.lastUse = Date()
    set(session, for: identifier)
    peer.telling.acknowledges = peer.version >= 2
    peer.telling.list(queue.numbers(of: identifier))
  }

  /// The program has ended, or its session has: tasks that it was asked about wait for the next one.
  func detached(_ session: String) {
    for (number, question) in questions where queue.jobs[question.number]?.session == session {
      questions[number] = nil
      guard let job = queue.jobs[question.number] else { continue }
      if case .challenge = question.content { stopTransfer(of: job) }
      queue.asks(job.number)
    }
    if !queue.hasTasks(session) { endTransferSessions(of: session) }
    // A program of an older version does not know of the file.
    if let next = sessions[session]?.nextIdentifier {
      BackgroundNumbers(in: options.state, session: session).raise(to: next)
    }
    forgetOldSessions()
    considerLaunch(of: session)
  }

  /// Sessions without tasks are kept for the numbers that their tasks have had, those that were used last.
  func forgetOldSessions() {
    guard sessions.count > Self.sessionLimit else { return }
    let idle = sessions.filter { attached[$0.key] == nil && !queue.hasTasks($0.key) }
    for (identifier, _) in idle.sorted(by: { $0.value.lastUse < $1.value.lastUse }).prefix(
      sessions.count - Self.sessionLimit)
    {
      sessions[identifier] = nil
      changes.sessions[identifier] = .some(nil)
    }
  }

  private static let sessionLimit = 1000

  func set(_ session: QueueStore.StoredSession, for identifier: String) {
    sessions[identifier] = session
    changes.sessions[identifier] = session
  }

  // MARK: Tasks

  private func create(_ task: BackgroundTaskDescription, _ number: Int, _ peer: Peer) {
    guard let identifier = peer.session, var session = sessions[identifier] else { return peer.end() }
    // A program that has lost its connection repeats what was not acknowledged.
    if queue.job(task.identifier, of: identifier) != nil { return peer.acknowledge(.done(number: number)) }
    func refuse(_ code: URLError.Code, _ reason: String) {
      peer.send(.refused(number: number, code: code.rawValue, reason: reason))
    }
    guard task.identifier >= session.nextIdentifier else {
      return refuse(.backgroundSessionWasDisconnected, "The transfer service had this task, and has lost it.")
    }
    guard let request = BackgroundValues.request(task.request) else {
      return refuse(.badURL, "The request cannot be read.")
    }
    guard (1..<Self.largestIdentifier).contains(task.identifier) else {
      return refuse(.badURL, "The task has no number that a session gives.")
    }
    guard queue.jobs.count < options.mostTasks else {
      return refuse(.cannotWriteToFile, "The transfer service has \(options.mostTasks) tasks, and takes no more.")
    }
    if let body = task.body, !Self.isUploadName(body) || access("\(files)/\(body)", R_OK) != 0 {
      return refuse(.fileDoesNotExist, "The copy of the file to upload is not there.")
    }
    if (task.kind == .upload) != (task.body != nil) { return refuse(.badURL, "The task has no file to upload.") }
    var task = task
    task.hints = task.hints.shortened
    session.nextIdentifier = task.identifier + 1
    set(session, for: identifier)
    let job = queue.add(
      session: identifier, task, origin: Self.origin(of: request.url),
      resourceTimeout: session.description.resourceTimeout)
    queue.setAvoidsMetered(request.avoidsMetered, of: job.number)
    changes.blobs[job.number] = QueueChanges.Blobs(description: task)
    peer.acknowledge(.done(number: number))
    if let failure = immediateFailure(of: request) { fail(job, failure) }
  }

  /// A session has room for more tasks after any that it has.
  private static let largestIdentifier = 1 << 60

  private static func isUploadName(_ name: String) -> Bool {
    name.hasPrefix("upload-") && name.utf8.count < 100 && !name.contains("/")
  }

  private static func origin(of url: URL?) -> String {
    "\(url?.scheme ?? "")://\(url?.host ?? ""):\(url?.port.map(String.init) ?? "")".lowercased()
  }

  private func changeTask(_ task: Int, _ number: Int, _ peer: Peer, _ body: (Job) -> Void) {
    guard let session = peer.session else { return peer.end() }
    // One that is gone already was acknowledged, and the program has not heard of it.
    if let job = queue.job(task, of: session) { body(job) }
    peer.acknowledge(.done(number: number))
  }

  private func cancelForResumeData(_ task: Int, _ number: Int, _ peer: Peer) {
    guard let session = peer.session, let job = queue.job(task, of: session), job.state.phase != .ended else {
      return peer.send(.resumeData(number: number, nil))
    }
    let finish: @Sendable (TransferService, Data?) -> Void = { service, data in
      guard let job = service.queue.job(task, of: session) else {
        return peer.send(.resumeData(number: number, nil))
      }
      // The file is the program's from now on.
      service.remove(job, keepsPart: data != nil)
      peer.acknowledge(.resumeData(number: number, data))
    }
    guard job.state.phase == .running, let transfer = transferSession(of: job) else {
      return finish(self, stored(job.number)?.resumption?.data)
    }
    transfer.stop(job.number) { [loop] data, _ in loop.post { finish($0, data) } }
  }

  // MARK: For people

  func described(_ job: Job) -> BackgroundJob {
    let stored = readStore { try $0.stored(job.number) }
    let url = stored.flatMap { BackgroundValues.request($0.description.request)?.url }
    // What a task that is done has met with before is over.
    let failure = stored?.outcome?.error ?? (job.state.phase == .ended ? nil : job.state.lastFailure)
    return BackgroundJob(
      number: job.number, session: job.session, program: sessions[job.session]?.description.program ?? "",
      url: url?.shownDescription ?? "", kind: job.kind, state: stateWords(of: job, stored),
      hasEnded: job.state.phase == .ended, progress: job.state.progress, failure: failure?.description,
      nextTry: job.state.phase == .waiting
        ? job.state.nextTry?.addingTimeInterval(ServiceClock.shared.shift) ?? job.state.hints.earliestBegin : nil)
  }

  private func stateWords(of job: Job, _ stored: StoredJob?) -> String {
    switch job.state.phase {
    case .idle: "suspended"
    case .waiting: job.state.nextTry != nil ? "tries again" : "waits"
    case .running: "loads"
    case .asking: "needs its program"
    case .ended: stored?.outcome?.error == nil ? "done" : "failed"
    }
  }

  private func control(_ number: Int, _ command: Int, _ peer: Peer, _ body: (Job) -> Void) {
    guard let job = queue.jobs[number] else {
      return peer.send(
        .refused(number: command, code: URLError.Code.unknown.rawValue, reason: "There is no job \(number)."))
    }
    body(job)
    peer.acknowledge(.done(number: command))
  }

  private func cancelJob(_ job: Job) {
    // Nobody may ever come for what has ended.
    guard job.state.phase != .ended else { return attached[job.session] == nil ? discard(job) : () }
    if job.state.phase == .running { transferSession(of: job)?.cancel(job.number) }
    fail(job, BackgroundFailure(URLError(.cancelled)))
  }

  private func setLimits(_ given: BackgroundLimits, _ number: Int, _ peer: Peer) {
    var limits = queue.limits
    if let value = given.transfers, value > 0 { limits.transfers = min(value, 1000) }
    if let value = given.transfersPerHost, value > 0 { limits.transfersPerHost = min(value, 1000) }
    if let value = given.bytesPerSecond, value >= 0 { limits.bytesPerSecond = value }
    if let value = given.freeSpace, value >= 0 { limits.freeSpace = value }
    if limits != queue.limits {
      changes.limits = limits
      apply(limits)
    }
    peer.acknowledge(
      .limits(
        number: number,
        BackgroundLimits(
          transfers: limits.transfers, transfersPerHost: limits.transfersPerHost, bytesPerSecond: limits.bytesPerSecond,
          freeSpace: limits.freeSpace)))
  }

  func apply(_ limits: JobQueue.Limits) {
    queue.limits = limits
    // Programs go by it where they copy files.
    do { try BackgroundFreeSpace.write(limits.freeSpace, beside: files) } catch {
      ServiceLog.write(error.localizedDescription)
    }
    rate.limit(to: limits.bytesPerSecond > 0 ? limits.bytesPerSecond : nil, now: ServiceClock.shared.now)
  }
}
