internal import URLLoadingBase
internal import URLLoadingCLinux

/// Tasks of background sessions.
extension URLSession {
  /// What is left for the service to do of a task that is made now. Data tasks are this process's.
  func planInService(_ plan: consuming LoadPlan) -> LoadPlan {
    guard let background = parts.background, plan.immediateError == nil else { return plan }
    var plan = plan
    var copy: String?
    let folder = plan.kind == .upload ? background.uploadFolder : nil
    do throws(URLError) {
      guard case .delegate = plan.owner else {
        throw immediateError(
          plan, "A background session reports to its delegate alone: use a task without a completion handler")
      }
      guard
        let kind: BackgroundTaskDescription.Kind = plan.kind == .download
          ? .download : plan.kind == .upload ? .upload : nil
      else { return plan }
      if let words = background.unsendableReason { throw immediateError(plan, words) }
      // What is wrong with the rules of this program would be none in the service.
      if let error = values.appTransportSecurity?.error { throw error }
      if let error = background.failure { throw error.error(for: plan.request.url) }
      plan.request = completedForService(plan.request)
      let request = try dataForService(plan.request)
      var task = BackgroundTaskDescription(kind: kind, request: request)
      if kind == .upload { (task.body, task.bodyLength) = try copiedBody(of: plan, to: folder) }
      copy = task.body
      task.resumeData =
        plan.resumption?.serializedForService() ?? plan.uploadResumption.flatMap { try? $0.serialized() }
      // How the body continues is the service's to judge.
      (plan.resumption, plan.uploadResumption) = (nil, nil)
      guard let made = background.create(task, in: taskRegistry, folder: folder) else {
        throw immediateError(plan, "The resume data is longer than any is that a session makes")
      }
      plan.background = made
      // The service may have been given up meanwhile.
      if let error = background.failure { throw error.error(for: plan.request.url) }
    } catch {
      if let copy, let folder { unlink("\(folder)/\(copy)") }
      plan.immediateError = error
    }
    return plan
  }

  /// The number of a task that is made now: in a background session, of data tasks, too.
  var nextTaskIdentifier: Int { parts.background?.nextNumber(taskRegistry) ?? taskRegistry.nextIdentifier() }

  /// A request with what the service is not told of the session: the fields that it adds, and those that it leaves out.
  func completedForService(_ request: URLRequest) -> URLRequest {
    var request = request
    addHeaders(to: &request)
    let omitted = parts.configuration.httpOmittedHeaders
    if !omitted.isEmpty { request.omittedFields = omitted }
    return request
  }

  /// A request as the service is told of it.
  /// - Throws: where it is larger than any may be.
  func dataForService(_ request: URLRequest) throws(URLError) -> Data {
    let data = BackgroundValues.data(of: request)
    guard data.count <= Self.largestRequest else {
      throw URLError(
        .unknown,
        message: "A request of a background session has at most 512 KiB: upload larger bodies from a file.",
        url: request.url)
    }
    return data
  }

  /// In bytes: a message has twice as much room, and more than that in Base64.
  private static let largestRequest = 512 << 10

  /// Calls `action`, on any thread, when the session's tasks are known, those of earlier sessions with its identifier, too. That is as soon
  /// as the service has said so and has what it was told by now; else after a few seconds.
  func whenTasksAreKnown(_ action: @escaping @Sendable () -> Void) {
    guard let background = parts.background else { return action() }
    background.whenSettled { isSettled in
      if !isSettled {
        self.values.sessionEventListener?.session(
          self, isWaitingForTransferService: background.silence.error(for: nil))
      }
      action()
    }
  }

  /// Makes the task of an earlier session again.
  func adopt(_ background: BackgroundTask, _ description: BackgroundTaskDescription, isSuspended: Bool) {
    var plan = LoadPlan(
      request: BackgroundValues.request(description.request) ?? .placeholder,
      kind: description.kind == .download ? .download : .upload, owner: .delegate)
    plan.background = background
    let load = load(plan)
    let task: URLSessionTask =
      description.kind == .download ? URLSessionDownloadTask(load: load) : URLSessionUploadTask(load: load)
    load.restore(description.hints)
    taskRegistry.add(task, retains: true)
    if !isSuspended { task.resume() }
  }

  private func immediateError(_ plan: borrowing LoadPlan, _ words: String) -> URLError {
    URLError(.unknown, message: "\(words).", url: plan.request.url)
  }

  /// Copies the file that is uploaded to a folder, the service's, where nobody changes it.
  /// - Returns: the copy's name, and its length in bytes.
  private func copiedBody(of plan: borrowing LoadPlan, to folder: String?) throws(URLError) -> (
    String, Int64
  ) {
    guard case .file(let file) = plan.upload else {
      throw immediateError(plan, "A background session uploads files alone: use uploadTask(with:fromFile:)")
    }
    guard let folder else { throw immediateError(plan, "The transfer service has no folder for files") }
    let name = "upload-\(UUID().uuidString.lowercased())"
    let source = open(file.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    let reason = errno
    defer { if source >= 0 { close(source) } }
    if source < 0, SystemShortage.isOne(reason) {
      throw URLError(
        .resourceUnavailable,
        message: "The file to upload cannot be opened: \(file.path): \(String(cString: strerror(reason))).",
        url: plan.request.url, underlying: POSIXErrorCode(rawValue: reason).map { POSIXError($0) })
    }
    guard source >= 0, UploadSource.length(ofFile: file) != nil else {
      throw URLError(
        .fileDoesNotExist, message: "The file to upload cannot be read: \(file.path).", url: plan.request.url)
    }
    let path = "\(folder)/\(name)"
    let target = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    defer { if target >= 0 { close(target) } }
    let reserve = BackgroundFreeSpace.read(beside: folder)
    guard target >= 0, copy_contents_leaving(source, target, reserve) == 0, fsync(target) == 0 else {
      var reason = String(cString: strerror(errno))
      if errno == ENOSPC, let free = BackgroundFreeSpace.available(at: folder) {
        reason = "its disk has \(free) bytes free, \(reserve) of which are to stay so"
      }
      if target >= 0 { unlink(path) }
      throw URLError(
        .cannotWriteToFile, message: "The file to upload cannot be copied to \(folder): \(reason).",
        url: plan.request.url)
    }
    // What was copied: the size of some files says nothing.
    var status = stat()
    guard fstat(target, &status) == 0 else {
      throw immediateError(plan, "The copy of the file to upload cannot be read")
    }
    return (name, Int64(status.st_size))
  }
}

extension ResumeData {
  /// For the service, which has the request's fields beside it: those that are withheld here are not missed there.
  fileprivate func serializedForService() -> Data? {
    var complete = self
    complete.headers = []
    return try? complete.serialized()
  }
}

extension URLSession {
  /// Waits until the tasks of a background session are known and the service has what it was told by now, or will not; half a minute at most.
  /// - Returns: why that is not so; nil where it is.
  package func backgroundFailure() async -> URLError? {
    guard let background = parts.background else { return nil }
    let isSettled = await background.settled(within: .seconds(30))
    return (isSettled ? background.failure : background.silence)?.error(for: nil)
  }

  /// Why the service has not taken a task that was resumed, as far as it has answered; nil where it has.
  package func backgroundRefusal(of task: URLSessionTask) -> String? {
    task.load.plan.immediateError?.localizedDescription ?? task.load.plan.background?.refusal?.description
  }

  /// Has the delegate hear no further end, and returns when the service knows of those that it has heard of: a process that ends now makes
  /// no later one hear of them again.
  package func leaveBackground() async { await parts.background?.leave() }
}
