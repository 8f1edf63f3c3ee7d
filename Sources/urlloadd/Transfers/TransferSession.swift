import Foundation
import URLLoading
internal import URLLoadingBase

/// Loads the tasks of one background session by a session of the library, and tells the service's loop what happens.
///
/// Mutable state: `state`, guarded by its lock.
final class TransferSession: NSObject, Sendable {
  struct Transfer {
    var task: URLSessionTask
    let origin: String
    /// Its delegate is asked about servers.
    let asks: Bool
    /// It goes on where another has stopped.
    let continues: Bool
    let begin = MonotonicInstant.now
    var lastReport: MonotonicInstant?
    /// What came since the last report is told when the next one is due, whether more comes or not.
    var awaitsReport = false
    var lastSync = MonotonicInstant.now
    var hasReportedHead = false
    /// What a later process needs to resume it was reported.
    var isResumable = false
    /// The descriptor of the file with an upload's answer; -1 before there is one.
    var answer: Int32 = -1
    /// The file is at its place.
    var hasFile = false
    var failure: (any Error)?
    var metrics: URLSessionTaskMetrics?
  }

  struct State {
    var transfers: [Int: Transfer] = [:]
    /// Tasks whose whole bodies are on their way to the disk.
    var finishing: Set<Int> = []
    /// Transfers are held back.
    var holds = false
    var session: URLSession?
    /// The session that asks about servers, once there is an origin with one that is not trusted.
    var asking: URLSession?
    /// The origins whose tasks it loads.
    var askingOrigins: Set<String> = []
    /// What the program has accepted.
    var accepted: Set<BackgroundServerTrust> = []
  }

  /// Between two reports of progress.
  private static let reportInterval = Duration.milliseconds(100)
  /// Between two times that what has come is written through to the disk.
  private static let syncInterval = Duration.seconds(20)
  private static let disk = DispatchQueue(label: "urlloadd disk", attributes: .concurrent)

  let loop: ServiceLoop
  let files: String
  private let settings: BackgroundSessionDescription
  let state = Locked(State(), rank: .transferSession)

  init(_ description: BackgroundSessionDescription, files: String, loop: ServiceLoop) {
    self.loop = loop
    self.files = files
    settings = description
    super.init()
    let session = makeSession(asksAboutConnections: false)
    state.withLock { $0.session = session }
  }

  private func makeSession(asksAboutConnections: Bool) -> URLSession {
    let configuration = URLSessionConfiguration.service(
      for: settings, files: files, asksAboutConnections: asksAboutConnections)
    return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
  }

  /// Ends the sessions; their delegate, which is this object, is released then.
  func end() {
    let (session, asking) = state.withLock { ($0.session.take(), $0.asking.take()) }
    session?.invalidateAndCancel()
    asking?.invalidateAndCancel()
  }

  /// The session for the tasks of an origin, and whether it asks about servers; nil after the end.
  private func session(for origin: String) -> (URLSession, asks: Bool)? {
    let (session, asking, asks) = state.withLock { ($0.session, $0.asking, $0.askingOrigins.contains(origin)) }
    guard let session else { return nil }
    guard asks else { return (session, false) }
    if let asking { return (asking, true) }
    // The loop's thread alone comes here.
    let made = makeSession(asksAboutConnections: true)
    state.withLock { $0.asking = made }
    return (made, true)
  }

  // MARK: Transfers

  /// Begins to load a task, where an earlier transfer has stopped if that is possible; does nothing where its whole body is on its way to the
  /// disk.
  func start(_ job: Job, _ stored: StoredJob, request: URLRequest) {
    if isFinishing(job.number) { return }
    guard let (session, asks) = self.session(for: job.origin) else { return }
    let resumeData = stored.resumption?.data ?? stored.description.resumeData
    let task: URLSessionTask
    if let body = stored.description.body {
      task = session.uploadTask(
        with: request, fromFile: URL(fileURLWithPath: "\(files)/\(body)"), continuing: resumeData)
    } else {
      // A whole body of a download that was not resumable after a kill would be taken for that of this one.
      unlink(Self.bodyPath(job.number, in: files))
      task = session.downloadTask(with: request, continuing: resumeData, label: String(job.number))
    }
    task.taskDescription = String(job.number)
    task.priority = job.state.hints.priority
    let holds = state.withLock { state in
      state.transfers[job.number] = Transfer(
        task: task, origin: job.origin, asks: asks, continues: resumeData != nil)
      return state.holds
    }
    // One that is held back begins with the others.
    if !holds { task.resume() }
  }

  /// Whether the whole body of a task is on its way to the disk.
  func isFinishing(_ number: Int) -> Bool { state.withLock { $0.finishing.contains(number) } }

  /// Whether a task has a transfer.
  func isLoading(_ number: Int) -> Bool { state.withLock { $0.transfers[number] != nil } }

  /// What a later process needs to resume a transfer, which keeps running, and the file that this names; nil where it cannot be resumed.
  func resumption(of number: Int) -> (data: Data, file: String?)? {
    guard let task = state.withLock({ $0.transfers[number]?.task }), let data = task.currentResumeData else {
      return nil
    }
    return (data, task.currentDownloadFile?.path)
  }

  /// Stops a transfer; what it leaves is named by the resume data that was reported.
  /// - Parameter then: gets that resume data, and the file that it names.
  func stop(_ number: Int, then: @escaping @Sendable (Data?, String?) -> Void) {
    guard let task = state.withLock({ $0.transfers.removeValue(forKey: number)?.task }) else { return then(nil, nil) }
    let file = task.currentDownloadFile?.path
    // Cancelled for resume data, so that the file stays.
    switch task {
    case let task as URLSessionDownloadTask: task.cancel { then($0, file) }
    case let task as URLSessionUploadTask: task.cancel { then($0, nil) }
    default:
      task.cancel()
      then(nil, nil)
    }
  }

  /// Ends a transfer of which nothing is wanted any more.
  func cancel(_ number: Int) {
    let transfer = state.withLock { state in
      state.finishing.remove(number)
      return state.transfers.removeValue(forKey: number)
    }
    transfer?.task.cancel()
  }

  /// Holds all transfers back, those that begin meanwhile as well, or no longer.
  func hold(_ holds: Bool) {
    let tasks = state.withLock { state -> [URLSessionTask] in
      // Suspensions of a task nest.
      guard state.holds != holds else { return [] }
      state.holds = holds
      return state.transfers.values.map(\.task)
    }
    for task in tasks { holds ? task.suspend() : task.resume() }
  }

  func setPriority(_ priority: Float, of number: Int) {
    state.withLock { $0.transfers[number]?.task }?.priority = priority
  }

  /// Where the body of a task is when it is whole.
  static func bodyPath(_ number: Int, in files: String) -> String { "\(files)/\(number).body" }

  // MARK: Reports

  /// - Returns: the number of a task that is still wanted.
  func number(of task: URLSessionTask) -> Int? {
    guard let number = task.taskDescription.flatMap({ Int($0) }) else { return nil }
    return state.withLock { $0.transfers[number]?.task === task } ? number : nil
  }

  func report(_ task: URLSessionTask, isLast: Bool = false) {
    guard let number = number(of: task) else { return }
    let now = MonotonicInstant.now
    let (isDue, isFirst, syncs, delay) = state.withLock { state -> (Bool, Bool, Bool, Duration?) in
      guard var transfer = state.transfers[number] else { return (false, false, false, nil) }
      defer { state.transfers[number] = transfer }
      let isFirst = !transfer.hasReportedHead && task.response != nil
      if isFirst { transfer.hasReportedHead = true }
      let syncs = transfer.lastSync.advanced(by: Self.syncInterval) <= now
      if syncs { transfer.lastSync = now }
      if !isFirst, !isLast, let last = transfer.lastReport, now < last.advanced(by: Self.reportInterval) {
        let waits = transfer.awaitsReport
        transfer.awaitsReport = true
        return (false, false, syncs, waits ? nil : now.duration(to: last.advanced(by: Self.reportInterval)))
      }
      transfer.lastReport = now
      transfer.awaitsReport = false
      return (true, isFirst, syncs, nil)
    }
    if isFirst { reportHead(of: task, number) }
    if syncs, let file = task.currentDownloadFile { sync(file, number) }
    if let delay { reportLater(task, after: delay) }
    guard isDue else { return }
    if !isLast { reportResumption(of: task, number) }
    var progress = BackgroundProgress()
    progress.received = task.countOfBytesReceived
    progress.expectedToReceive = task.countOfBytesExpectedToReceive
    progress.sent = task.countOfBytesSent
    loop.post { [progress] in $0.progressed(number, progress) }
  }

  /// A server that stalls sends nothing that would make the next report.
  private func reportLater(_ task: URLSessionTask, after delay: Duration) {
    DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(clamping: delay.wholeNanoseconds))) {
      [weak self, weak task] in
      guard let self, let task else { return }
      report(task)
    }
  }

  /// The response's head is there.
  private func reportHead(of task: URLSessionTask, _ number: Int) {
    guard let response = task.response.map({ BackgroundValues.data(of: $0.withoutSecrets) }) else { return }
    let request = task.currentRequest.map { BackgroundValues.data(of: $0) }
    loop.post { $0.responded(number, response, request: request) }
  }

  /// A server may say at any time that it takes the rest of an upload later; a download becomes worth resuming as it goes on.
  private func reportResumption(of task: URLSessionTask, _ number: Int) {
    guard let transfer = state.withLock({ $0.transfers[number] }), !transfer.isResumable,
      paysToResume(task, transfer), let data = task.currentResumeData
    else { return }
    state.withLock { $0.transfers[number]?.isResumable = true }
    let file = task.currentDownloadFile?.path
    loop.post { $0.becameResumable(number, data, file: file) }
  }

  private func paysToResume(_ task: URLSessionTask, _ transfer: Transfer) -> Bool {
    // What is stored of one that goes on may be about a body that the server has replaced.
    guard task is URLSessionDownloadTask, !transfer.continues else { return true }
    return ResumptionPolicy.pays(
      expected: task.countOfBytesExpectedToReceive, received: task.countOfBytesReceived,
      age: transfer.begin.duration(to: .now))
  }

  private func sync(_ file: URL, _ number: Int) {
    Self.disk.async { [loop] in
      let descriptor = open(file.path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
      guard descriptor >= 0 else { return }
      defer { close(descriptor) }
      var status = stat()
      // What comes while it is written through is not known to be there.
      guard fstat(descriptor, &status) == 0, fdatasync(descriptor) == 0 else { return }
      let length = Int64(status.st_size)
      loop.post { $0.synced(number, length) }
    }
  }

  func ended(_ task: URLSessionTask, _ error: (any Error)?) {
    guard let number = number(of: task) else { return }
    report(task, isLast: true)
    let transfer = state.withLock { $0.transfers.removeValue(forKey: number) }
    let path = Self.bodyPath(number, in: files)
    let metrics = transfer?.metrics.map { BackgroundMetrics($0) }
    // A transfer whose file cannot be written is cancelled for that, which is how its task ends, and not why.
    if let error = transfer?.failure ?? error {
      if let answer = transfer?.answer, answer >= 0 {
        close(answer)
        unlink(path)
      }
      let resumeData = (error as NSError).userInfo[task.resumeDataKey] as? Data
      if let transfer, !transfer.asks, settings.asksAboutServers, Self.isAboutTrust(error) {
        // Servers that are trusted cost no question and no second handshake: only after such a failure is the program asked.
        asksAboutServers(of: transfer.origin)
        let isSafe = ["GET", "HEAD"].contains(task.originalRequest?.httpMethod ?? "GET")
        // Behind a redirect another server may have acted on the request: only a safe method is repeated (RFC 9110, section 9.2.1).
        if isSafe || transfer.metrics?.redirectCount == 0 {
          return loop.post { $0.startAgain(number, resumeData: resumeData) }
        }
      }
      // What libraries could not open may look like anything; a download does no harm twice.
      let isTransient =
        RetryPolicy.isTransient(error) || task is URLSessionDownloadTask && SystemShortage.ofDescriptors != nil
      let failure = BackgroundFailure(error)
      return loop.post {
        $0.failed(number, failure, isTransient: isTransient, resumeData: resumeData, metrics: metrics)
      }
    }
    let hasFile = transfer?.hasFile == true || transfer.map { $0.answer >= 0 } == true
    if !hasFile { return loop.post { $0.finished(number, file: nil, metrics: metrics) } }
    finish(number, transfer.map(\.answer).flatMap { $0 >= 0 ? $0 : nil }, metrics: metrics)
  }

  /// The body is whole: it is on the disk before the queue says that it is.
  func finish(_ number: Int, _ opened: Int32? = nil, metrics: BackgroundMetrics? = nil) {
    let path = Self.bodyPath(number, in: files)
    state.withLock { _ = $0.finishing.insert(number) }
    Self.disk.async { [self] in
      let descriptor = opened ?? open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
      let isSynced = descriptor >= 0 && fsync(descriptor) == 0
      let reason = errno
      if descriptor >= 0 { close(descriptor) }
      let error = isSynced ? nil : URLError.cannotWrite(path, reason)
      loop.post { [self] service in
        // Nothing is wanted of it any more.
        guard state.withLock({ $0.finishing.remove(number) }) != nil else { return }
        guard let error else { return service.finished(number, file: path, metrics: metrics) }
        service.failed(
          number, BackgroundFailure(error), isTransient: RetryPolicy.isTransient(error), resumeData: nil,
          metrics: metrics)
      }
    }
  }
}
