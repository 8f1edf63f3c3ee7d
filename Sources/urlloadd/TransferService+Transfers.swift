import Foundation
import URLLoading
internal import URLLoadingBase

/// What transfers say, and what becomes of them.
extension TransferService {
  // MARK: Beginning

  func startTransfers(now: Date) {
    // What is due waits for a place, and the loop for no date that has passed.
    queue.admit(now: now)
    guard !isEnding, !rate.holds else { return }
    let (blocked, discretionary) = (blockedSessions, discretionarySessions)
    while case let jobs = queue.takeStartable(
      now: now, excluding: blocked, costs: mayCost, discretionary: discretionary), !jobs.isEmpty
    {
      recordLoading()
      for job in jobs { begin(job, now: now) }
    }
  }

  private func begin(_ job: Job, now: Date) {
    guard let session = sessions[job.session], let stored = stored(job.number),
      let request = BackgroundValues.request(stored.description.request)
    else { return fail(job, BackgroundFailure(URLError(.badURL))) }
    if job.state.hints.earliestBegin != nil, !job.state.hasAsked, asksAboutDelayedRequest(job) { return }
    // The file of the transfer before is still being closed.
    if stopping.contains(job.number) { return queue.stopped(job.number, until: now.addingTimeInterval(0.05), now: now) }
    let isWhole = hasWholeBody(job, stored)
    // Without its proxy's password it would be refused, and nothing goes past the proxy. What is whole needs none.
    if !isWhole, lacksPassword(job, session) { return }
    if let error = session.environments[transferKey(of: job).environment]?.immediateError {
      return fail(job, BackgroundFailure(error))
    }
    // The service that took it may have had a plugin for it, and the next one may: the task keeps what has come.
    if !isWhole, let failure = immediateFailure(of: request) { return postpone(job, failure, now: now) }
    // An upload that had no room for the server's answer is not sent again before there is some.
    if job.kind == .download || job.lackedRoom,
      let reason = lackOfSpace(for: max(0, job.state.hints.expectedToReceive))
    {
      return postpone(job, reason, now: now)
    }
    if !isWhole, let resumption = stored.resumption { cutUnsynced(resumption, job) }
    let transfer = makeTransferSession(of: job, session)
    if isWhole { transfer.finish(job.number) } else { transfer.start(job, stored, request: request) }
  }

  /// A transfer whose server is not trusted has ended, and begins anew in a session that asks about servers.
  func startAgain(_ number: Int, resumeData: Data?) {
    guard let job = queue.jobs[number], job.state.phase == .running else { return }
    if let resumeData { setResumption(resumeData, file: nil, of: number) }
    guard let transfer = transferSession(of: job), let stored = stored(number),
      let request = BackgroundValues.request(stored.description.request)
    else { return fail(job, BackgroundFailure(URLError(.badURL))) }
    // It may have been stopped and begun again meanwhile.
    if !transfer.isLoading(number) { transfer.start(job, stored, request: request) }
  }

  /// Whether the service was killed between the end of a download and its commit: a file has its place only when it is whole.
  private func hasWholeBody(_ job: Job, _ stored: StoredJob) -> Bool {
    guard job.kind == .download, stored.resumption?.boot == MachineBoot.identifier else { return false }
    return access(TransferSession.bodyPath(job.number, in: files), F_OK) == 0
  }

  /// What is stored, with what was not committed yet.
  func stored(_ number: Int) -> StoredJob? {
    let pending = changes.blobs[number]
    if let description = pending?.description {
      return StoredJob(description: description, resumption: pending?.resumption ?? nil)
    }
    guard var stored = readStore({ try $0.stored(number) }) else { return nil }
    if let description = pending?.newRequest { stored.description = description }
    if let resumption = pending?.resumption { stored.resumption = resumption }
    return stored
  }

  /// Where the machine has been off since, what is not known to have reached the disk may be anything.
  private func cutUnsynced(_ resumption: StoredJob.Resumption, _ job: Job) {
    guard let file = resumption.file, resumption.boot != MachineBoot.identifier else { return }
    var status = stat()
    if stat(file, &status) == 0, Int64(status.st_size) > resumption.syncedLength {
      truncate(file, off_t(resumption.syncedLength))
    }
    var renewed = resumption
    renewed.boot = MachineBoot.identifier
    set(renewed, of: job.number)
  }

  /// Stores what a transfer needs to be resumed.
  private func set(_ resumption: StoredJob.Resumption, of number: Int) {
    changes.blobs[number, default: QueueChanges.Blobs()].resumption = .some(resumption)
    changes.tasks.insert(number)
  }

  /// The same from resume data; what is known to be on the disk of a file stays known.
  private func setResumption(_ data: Data, file: String?, of number: Int) {
    let earlier = stored(number)?.resumption
    // An error has resume data and no file beside it.
    var file = file ?? earlier?.file
    if file == nil, queue.jobs[number]?.kind == .download { file = URLSessionTask.downloadFile(namedBy: data)?.path }
    var resumption = StoredJob.Resumption(data: data, file: file, boot: MachineBoot.identifier)
    if let earlier, earlier.file == resumption.file { resumption.syncedLength = earlier.syncedLength }
    set(resumption, of: number)
  }

  // MARK: The disk's room

  /// - Parameter needed: bytes that are still to come, 0 where nobody knows.
  private func lackOfSpace(for needed: Int64) -> String? {
    guard let free = BackgroundFreeSpace.available(at: files), free - needed < queue.limits.freeSpace
    else { return nil }
    return
      "The disk of \(files) has \(free) bytes free; \(queue.limits.freeSpace) are to stay free\(needed > 0 ? ", and \(needed) are needed" : "")."
  }

  private func postpone(_ job: Job, _ reason: String, now: Date) {
    postpone(job, BackgroundFailure(URLError(.cannotWriteToFile, message: reason, url: nil)), now: now)
  }

  /// Has a task wait for its next try, until its resource timeout has passed.
  private func postpone(_ job: Job, _ failure: BackgroundFailure, now: Date) {
    _ = queue.failed(job.number, failure, isTransient: true, now: now)
  }

  // MARK: Reports of transfers

  func progressed(_ number: Int, _ progress: BackgroundProgress) {
    guard let job = queue.jobs[number], job.state.phase == .running else { return }
    let now = ServiceClock.shared.now
    let before = job.state.progress
    rate.moved(max(0, progress.received - before.received) + max(0, progress.sent - before.sent), now: now)
    queue.progressed(number, progress)
    tell(job, .progress(progress))
    // A download that would fill the disk stops before it does.
    let isPart = progress.received < progress.expectedToReceive || progress.expectedToReceive < 0
    if job.kind == .download, isPart, let reason = lackOfSpace(for: 0) {
      stopTransfer(of: job)
      postpone(job, reason, now: now)
    }
  }

  func responded(_ number: Int, _ response: Data, request: Data?) {
    guard let job = queue.jobs[number], job.state.phase == .running else { return }
    guard BackgroundFrames.hasRoom(for: response.count) else {
      transferSession(of: job)?.cancel(number)
      return fail(job, BackgroundFailure(Self.largeHead))
    }
    changes.blobs[number, default: QueueChanges.Blobs()].response = .some(response)
    changes.tasks.insert(number)
    if let request { tell(job, .request(request)) }
    // That of an upload comes with its body, once: its delegate is asked about it.
    if job.kind == .download { tell(job, .response(response)) }
  }

  func resumed(_ number: Int, at offset: Int64, expecting expected: Int64) {
    guard let job = queue.jobs[number], job.state.phase == .running else { return }
    queue.continued(number, at: offset)
    tell(job, .resumed(offset: offset, expected: expected))
  }

  func becameResumable(_ number: Int, _ data: Data, file: String?) {
    guard queue.jobs[number]?.state.phase == .running else { return }
    setResumption(data, file: file, of: number)
  }

  func synced(_ number: Int, _ length: Int64) {
    guard queue.jobs[number]?.state.phase == .running, var resumption = stored(number)?.resumption else { return }
    resumption.syncedLength = length
    set(resumption, of: number)
  }

  /// A transfer found no network. It gives its place to others, and is tried again as after any failure that may pass.
  func waitsForConnectivity(_ number: Int) {
    guard let job = queue.jobs[number], job.state.phase == .running else { return }
    tell(job, .waitsForConnectivity)
    stopTransfer(of: job)
    let error = URLError(
      .notConnectedToInternet, message: "There is no network that leads to the server.", url: nil)
    postpone(job, BackgroundFailure(error), now: ServiceClock.shared.now)
  }

  func finished(_ number: Int, file: String?, metrics: BackgroundMetrics?) {
    // Also one that was to stop while its body was on its way to the disk: it would be loaded again, and an upload be sent again.
    guard let job = queue.jobs[number], job.state.phase != .ended else { return }
    // It may have begun again already.
    transferSession(of: job)?.cancel(number)
    var outcome = BackgroundOutcome()
    outcome.file = file
    outcome.metrics = metrics
    end(job, outcome)
  }

  func failed(
    _ number: Int, _ failure: BackgroundFailure, isTransient: Bool, resumeData: Data?, metrics: BackgroundMetrics?
  ) {
    guard let job = queue.jobs[number], job.state.phase == .running else { return }
    if let resumeData { setResumption(resumeData, file: nil, of: number) }
    if queue.failed(number, failure, isTransient: isTransient, now: ServiceClock.shared.now) == .ends {
      fail(job, failure, resumeData: resumeData, metrics: metrics)
    } else if let metrics {
      changes.blobs[number, default: QueueChanges.Blobs()].metrics = .some(metrics.following(earlierMetrics(of: job)))
    }
  }

  /// What the transfers of a task did that have failed.
  private func earlierMetrics(of job: Job) -> BackgroundMetrics? {
    guard job.state.lastFailure != nil else { return nil }
    if let pending = changes.blobs[job.number]?.metrics { return pending }
    return readStore { try $0.metrics(job.number) }
  }

  /// The resource timeout has passed.
  func expire(_ number: Int) {
    guard let job = queue.jobs[number], job.state.phase != .ended else { return }
    if job.state.phase == .running, stored(number)?.resumption == nil,
      let (data, file) = transferSession(of: job)?.resumption(of: number)
    {
      setResumption(data, file: file, of: number)
    }
    stopTransfer(of: job)
    let limit = job.resourceTimeout.map { String(format: "%g", $0) } ?? "∞"
    let last = job.state.lastFailure.map { " The last failure: \($0.description)" } ?? ""
    let error = URLError(
      .timedOut, message: "The load was not done within \(limit) s, the resource timeout.\(last)", url: nil)
    fail(job, BackgroundFailure(error), resumeData: stored(number)?.resumption?.data)
  }

  // MARK: Ends

  func fail(
    _ job: Job, _ failure: BackgroundFailure, resumeData: Data? = nil, metrics: BackgroundMetrics? = nil
  ) {
    var outcome = BackgroundOutcome()
    outcome.error = failure
    outcome.resumeData = resumeData
    outcome.metrics = metrics
    end(job, outcome)
  }

  private func end(_ job: Job, _ given: BackgroundOutcome) {
    var outcome = given
    outcome.progress = job.state.progress
    let earlier = earlierMetrics(of: job)
    outcome.metrics = given.metrics?.following(earlier) ?? earlier
    if let resumed = job.state.resumed { outcome.metrics?.start = resumed }
    let stored = stored(job.number)
    queue.end(job.number)
    // No resume data names the part any more.
    if outcome.error != nil, outcome.resumeData == nil, let part = stored?.resumption?.file {
      changes.files.append(part)
    }
    if earlier != nil { changes.blobs[job.number, default: QueueChanges.Blobs()].metrics = .some(nil) }
    changes.blobs[job.number, default: QueueChanges.Blobs()].outcome = .some(outcome)
    if outcome.resumeData == nil { changes.blobs[job.number]?.resumption = .some(nil) }
    dropQuestions(of: job)
    if var description = stored?.description, let request = BackgroundValues.withoutSecrets(description.request) {
      description.request = request
      changes.erases = true
      if changes.blobs[job.number]?.description == nil {
        changes.blobs[job.number]?.newRequest = description
      } else {
        changes.blobs[job.number]?.description = description
      }
    }
    dropSecrets(of: job.session)
    endedJobs.append(job.number)
  }

  /// With the last task of a session that has not ended, what the session's row has of credentials is of no use any more.
  private func dropSecrets(of identifier: String) {
    guard !queue.hasUnfinished(identifier), let session = sessions[identifier],
      session.withoutSecrets.description != session.description || session.environments.hasProxies
    else { return }
    set(session, for: identifier)
    changes.erases = true
  }

  /// Tells of ends when they are on the disk.
  func reportEnds() {
    let ended = endedJobs
    endedJobs = []
    for number in ended {
      guard let job = queue.jobs[number] else { continue }
      guard let peer = attached[job.session] else {
        considerLaunch(of: job.session)
        continue
      }
      peer.telling.ended(number)
      // One that acknowledges no piece, and says that it has taken the ends after it.
      if peer.telling.count > Self.mostSteps + 2 * queue.jobs.count { peer.end() }
    }
  }

  /// Stops the transfer of a task, if it has one, so that it can be resumed later.
  func stopTransfer(of job: Job) {
    guard job.state.phase == .running, let transfer = transferSession(of: job) else { return }
    let number = job.number
    stopping.insert(number)
    transfer.stop(number) { [loop] data, file in loop.post { $0.stopped(number, data, file: file) } }
  }

  private func stopped(_ number: Int, _ resumeData: Data?, file: String?) {
    stopping.remove(number)
    guard let resumeData, let job = queue.jobs[number], job.state.phase != .ended else { return }
    setResumption(resumeData, file: file, of: number)
  }

  /// The program wants nothing of the task any more.
  func discard(_ job: Job) {
    if job.state.phase == .running { transferSession(of: job)?.cancel(job.number) }
    remove(job, keepsPart: job.state.phase == .ended && stored(job.number)?.outcome?.resumeData != nil)
  }

  /// - Parameter keepsPart: the file of a download that was not whole is named by resume data that the program has.
  func remove(_ job: Job, keepsPart: Bool) {
    let stored = stored(job.number)
    dropQuestions(of: job)
    queue.remove(job.number)
    if job.state.phase != .ended {
      if let request = stored?.description.request, BackgroundValues.withoutSecrets(request) != nil {
        changes.erases = true
      }
      dropSecrets(of: job.session)
    }
    changes.blobs[job.number] = nil
    changes.files.append(TransferSession.bodyPath(job.number, in: files))
    changes.files += handed.take(job.number)
    guard !keepsPart else { return }
    if let body = stored?.description.body { changes.files.append("\(files)/\(body)") }
    if let part = stored?.resumption?.file { changes.files.append(part) }
  }

  /// Tells an event to a program that is there and knows the task.
  /// - Returns: false where it is larger than a message may be.
  @discardableResult
  func tell(_ job: Job, _ event: BackgroundEvent) -> Bool {
    guard let peer = attached[job.session], peer.telling.hasTold(job.number) else { return true }
    return peer.tell(job.identifier, event)
  }
}
