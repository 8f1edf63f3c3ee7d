import Foundation
import URLLoading
internal import URLLoadingBase

/// Loads the tasks of one background session by a session of the library, and tells the service's loop what happens.
///
/// Mutable state: `state`, guarded by its lock.
final class TransferSession: NSObject, Sendable {
  private struct Transfer {
    var task: URLSessionTask
    var lastReport: MonotonicInstant?
    var lastSync = MonotonicInstant.now
    var hasReportedHead = false
    /// What an upload needs to be resumed was reported.
    var isResumable = false
    /// The descriptor of the file with an upload's answer; -1 before there is one.
    var answer: Int32 = -1
    /// The file is at its place.
    var hasFile = false
    var failure: (any Error)?
    var metrics: URLSessionTaskMetrics?
  }

  private struct State {
    var transfers: [Int: Transfer] = [:]
    var session: URLSession?
  }

  /// Between two reports of progress.
  private static let reportInterval = Duration.milliseconds(100)
  /// Between two times that what has come is written through to the disk.
  private static let syncInterval = Duration.seconds(20)
  private static let disk = DispatchQueue(label: "urlloadd disk", attributes: .concurrent)

  private let loop: ServiceLoop
  private let files: String
  private let state = Locked(State())

  init(_ description: BackgroundSessionDescription, files: String, loop: ServiceLoop) {
    self.loop = loop
    self.files = files
    super.init()
    let configuration = URLSessionConfiguration.service(for: description, files: files)
    let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    state.withLock { $0.session = session }
  }

  /// Ends the session; its delegate, which is this object, is released then.
  func end() { state.withLock { $0.session.take() }?.invalidateAndCancel() }

  // MARK: Transfers

  /// Begins to load a task, where an earlier transfer has stopped if that is possible.
  func start(_ job: Job, _ stored: StoredJob, request: URLRequest) {
    guard let session = state.withLock({ $0.session }) else { return }
    let resumeData = stored.resumption?.data ?? stored.description.resumeData
    let task: URLSessionTask
    if let body = stored.description.body {
      task = session.uploadTask(
        with: request, fromFile: URL(fileURLWithPath: "\(files)/\(body)"), continuing: resumeData)
    } else {
      task = session.downloadTask(with: request, continuing: resumeData)
    }
    task.taskDescription = String(job.number)
    task.priority = job.state.hints.priority
    state.withLock { $0.transfers[job.number] = Transfer(task: task) }
    task.resume()
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
  func cancel(_ number: Int) { state.withLock { $0.transfers.removeValue(forKey: number)?.task }?.cancel() }

  /// Holds all transfers back, or no longer.
  func hold(_ holds: Bool) {
    for transfer in state.withLock({ Array($0.transfers.values) }) {
      holds ? transfer.task.suspend() : transfer.task.resume()
    }
  }

  func setPriority(_ priority: Float, of number: Int) {
    state.withLock { $0.transfers[number]?.task }?.priority = priority
  }

  /// Where the body of a task is when it is whole.
  static func bodyPath(_ number: Int, in files: String) -> String { "\(files)/\(number).body" }

  // MARK: Reports

  /// - Returns: the number of a task that is still wanted.
  private func number(of task: URLSessionTask) -> Int? {
    guard let number = task.taskDescription.flatMap({ Int($0) }) else { return nil }
    return state.withLock { $0.transfers[number]?.task === task } ? number : nil
  }

  private func report(_ task: URLSessionTask, isLast: Bool = false) {
    guard let number = number(of: task) else { return }
    let now = MonotonicInstant.now
    let (isDue, isFirst, syncs) = state.withLock { state -> (Bool, Bool, Bool) in
      guard var transfer = state.transfers[number] else { return (false, false, false) }
      defer { state.transfers[number] = transfer }
      let isFirst = !transfer.hasReportedHead && task.response != nil
      if isFirst { transfer.hasReportedHead = true }
      let syncs = transfer.lastSync.advanced(by: Self.syncInterval) <= now
      if syncs { transfer.lastSync = now }
      if !isFirst, !isLast, let last = transfer.lastReport, now < last.advanced(by: Self.reportInterval) {
        return (false, false, syncs)
      }
      transfer.lastReport = now
      return (true, isFirst, syncs)
    }
    if isFirst { reportHead(of: task, number) }
    if syncs, let file = task.currentDownloadFile { sync(file, number) }
    guard isDue else { return }
    if !isLast, task is URLSessionUploadTask { reportResumption(of: task, number) }
    var progress = BackgroundProgress()
    progress.received = task.countOfBytesReceived
    progress.expectedToReceive = task.countOfBytesExpectedToReceive
    progress.sent = task.countOfBytesSent
    loop.post { [progress] in $0.progressed(number, progress) }
  }

  /// The response's head is there, and with it what a later process needs to resume.
  private func reportHead(of task: URLSessionTask, _ number: Int) {
    guard let response = task.response.map({ BackgroundValues.data(of: $0) }) else { return }
    let request = task.currentRequest.map { BackgroundValues.data(of: $0) }
    let (resumeData, file) = (task.currentResumeData, task.currentDownloadFile?.path)
    loop.post { service in
      service.responded(number, response, request: request)
      if let resumeData { service.becameResumable(number, resumeData, file: file) }
    }
  }

  /// A server may say at any time that it takes the rest of an upload later.
  private func reportResumption(of task: URLSessionTask, _ number: Int) {
    guard state.withLock({ $0.transfers[number]?.isResumable }) == false, let data = task.currentResumeData else {
      return
    }
    state.withLock { $0.transfers[number]?.isResumable = true }
    loop.post { $0.becameResumable(number, data, file: nil) }
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

  private func ended(_ task: URLSessionTask, _ error: (any Error)?) {
    guard let number = number(of: task) else { return }
    report(task, isLast: true)
    let transfer = state.withLock { $0.transfers.removeValue(forKey: number) }
    let path = Self.bodyPath(number, in: files)
    let isUpload = task is URLSessionUploadTask
    let metrics = transfer?.metrics.map { BackgroundMetrics($0) }
    if let error = error ?? transfer?.failure {
      if let answer = transfer?.answer, answer >= 0 {
        close(answer)
        unlink(path)
      }
      let key = isUpload ? NSURLSessionUploadTaskResumeData : NSURLSessionDownloadTaskResumeData
      let resumeData = (error as NSError).userInfo[key] as? Data
      let isTransient = RetryPolicy.isTransient(error)
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
    Self.disk.async { [loop] in
      let descriptor = opened ?? open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
      let isSynced = descriptor >= 0 && fsync(descriptor) == 0
      let reason = errno
      if descriptor >= 0 { close(descriptor) }
      if isSynced { return loop.post { $0.finished(number, file: path, metrics: metrics) } }
      let error = URLError(
        .cannotWriteToFile, userInfo: [NSUnderlyingErrorKey: POSIXError(POSIXErrorCode(rawValue: reason) ?? .EIO)])
      let failure = BackgroundFailure(error)
      let isTransient = RetryPolicy.isTransient(error)
      loop.post { $0.failed(number, failure, isTransient: isTransient, resumeData: nil, metrics: metrics) }
    }
  }
}

extension TransferSession: URLSessionDownloadDelegate, URLSessionDataDelegate {
  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    report(downloadTask)
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
    expectedTotalBytes: Int64
  ) {
    guard let number = number(of: downloadTask) else { return }
    loop.post { $0.resumed(number, at: fileOffset, expecting: expectedTotalBytes) }
  }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    guard let number = number(of: downloadTask) else { return }
    let isMoved = rename(location.path, Self.bodyPath(number, in: files)) == 0
    let reason = errno
    state.withLock { state in
      state.transfers[number]?.hasFile = isMoved
      if !isMoved {
        state.transfers[number]?.failure = URLError(
          .cannotWriteToFile, userInfo: [NSUnderlyingErrorKey: POSIXError(POSIXErrorCode(rawValue: reason) ?? .EIO)])
      }
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    report(task)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    if let number = number(of: dataTask) {
      let descriptor = open(
        Self.bodyPath(number, in: files), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
      let earlier = state.withLock { state in
        defer { state.transfers[number]?.answer = descriptor }
        return state.transfers[number]?.answer ?? -1
      }
      if earlier >= 0 { close(earlier) }
    }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    guard let number = number(of: dataTask), let descriptor = state.withLock({ $0.transfers[number]?.answer }) else {
      return
    }
    do {
      try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(contentsOf: data)
    } catch {
      state.withLock { $0.transfers[number]?.failure = error }
      dataTask.cancel()
    }
  }

  func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
    if let number = number(of: task) { loop.post { $0.waitsForConnectivity(number) } }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let method = challenge.protectionSpace.authenticationMethod
    guard let number = number(of: task), method != NSURLAuthenticationMethodServerTrust,
      method != NSURLAuthenticationMethodClientCertificate
    else { return completionHandler(.performDefaultHandling, nil) }
    let question = BackgroundQuestion.challenge(
      space: BackgroundValues.data(of: challenge.protectionSpace),
      proposed: challenge.proposedCredential.map { BackgroundValues.data(of: $0) },
      failures: challenge.previousFailureCount,
      response: challenge.failureResponse.map { BackgroundValues.data(of: $0) })
    loop.post { service in
      service.asked(number, question) { answer in
        switch answer {
        case .useCredential(let data): completionHandler(.useCredential, data.flatMap(BackgroundValues.credential))
        case .performDefaultHandling, .proceed: completionHandler(.performDefaultHandling, nil)
        case .rejectProtectionSpace: completionHandler(.rejectProtectionSpace, nil)
        case .cancel: completionHandler(.cancelAuthenticationChallenge, nil)
        }
      }
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    guard let number = number(of: task) else { return }
    state.withLock { $0.transfers[number]?.metrics = metrics }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    ended(task, error)
  }
}
