internal import URLLoadingCurlTransport

/// Loading with `async` functions. Cancelling the surrounding `Task` cancels the load.
extension URLSession {
  /// Loads a resource into memory.
  public func data(from url: URL, delegate: (any URLSessionTaskDelegate)? = nil) async throws -> (Data, URLResponse) {
    if isSubclassed { return try await data(for: URLRequest(url: url), delegate: delegate) }
    let task = data(URLRequest(url: url), owner: .waiter, delegate: delegate)
    await finish(task)
    return try task.load.takeOutcome().loadedData()
  }

  /// Loads a resource into memory.
  /// - Parameters:
  ///   - request: what to load.
  ///   - delegate: called for redirects, challenges and so on; the session's for methods that it lacks.
  /// - Throws: the error that the load failed with, a `URLError` with the URL in `failingURL` unless a protocol class reports another.
  public func data(
    for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) {
    if isSubclassed { return try await handled(delegate) { self.dataTask(with: request, completionHandler: $0) } }
    let task = data(request, owner: .waiter, delegate: delegate)
    await finish(task)
    return try task.load.takeOutcome().loadedData()
  }

  /// Uploads bytes, in place of a body that the request has, and returns the server's answer. The method is the request's; where that
  /// was not set, `PUT` for classes that store by it (`file`, `ftp`, `sftp`), else `GET`.
  public func upload(
    for request: URLRequest, from bodyData: Data, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) {
    if isSubclassed {
      return try await handled(delegate) { self.uploadTask(with: request, from: bodyData, completionHandler: $0) }
    }
    let task = upload(request, .data(bodyData), owner: .waiter, delegate: delegate)
    await finish(task)
    return try task.load.takeOutcome().loadedData()
  }

  /// Uploads a file, which is read as it is sent, and returns the server's answer.
  public func upload(
    for request: URLRequest, fromFile fileURL: URL, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) {
    if isSubclassed {
      return try await handled(delegate) { self.uploadTask(with: request, fromFile: fileURL, completionHandler: $0) }
    }
    let task = upload(request, .file(fileURL), owner: .waiter, delegate: delegate)
    await finish(task)
    return try task.load.takeOutcome().loadedData()
  }

  /// Continues an upload, see ``uploadTask(withResumeData:)``.
  public func upload(
    resumeFrom resumeData: Data, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) {
    if isSubclassed {
      return try await handled(delegate) { self.uploadTask(withResumeData: resumeData, completionHandler: $0) }
    }
    let task = upload(resumingWith: resumeData, owner: .waiter, delegate: delegate)
    await finish(task)
    return try task.load.takeOutcome().loadedData()
  }

  /// Loads a resource into a temporary file, which is the caller's to move or remove.
  public func download(from url: URL, delegate: (any URLSessionTaskDelegate)? = nil) async throws -> (URL, URLResponse)
  {
    try await download(for: URLRequest(url: url), delegate: delegate)
  }

  /// Loads a resource into a temporary file, which is the caller's to move or remove.
  public func download(
    for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (URL, URLResponse) {
    if isSubclassed { return try await kept(delegate) { self.downloadTask(with: request, completionHandler: $0) } }
    let task = download(request, owner: .waiter, delegate: delegate)
    await finish(task)
    return try task.load.takeOutcome().loadedFile()
  }

  /// Resumes a download.
  ///
  /// `resumeData`: from `URLSessionDownloadTask.cancelByProducingResumeData()`, or an error's `userInfo`.
  public func download(
    resumeFrom resumeData: Data, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (URL, URLResponse) {
    if isSubclassed {
      return try await kept(delegate) { self.downloadTask(withResumeData: resumeData, completionHandler: $0) }
    }
    let task = download(resumingWith: resumeData, owner: .waiter, delegate: delegate)
    await finish(task)
    return try task.load.takeOutcome().loadedFile()
  }

  /// The tasks that have not ended.
  ///
  /// Those of a background session when the transfer service has stored all that it was told before, and after five seconds in any case;
  /// ``EventListener/session(_:isWaitingForTransferService:)`` says so then.
  public var allTasks: [URLSessionTask] {
    get async {
      await withUnsafeContinuation { continuation in whenTasksAreKnown { continuation.resume() } }
      return taskRegistry.all
    }
  }

  /// The tasks that have not ended, by kind.
  public var tasks: ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
    get async {
      await withUnsafeContinuation { continuation in
        getTasksWithCompletionHandler { continuation.resume(returning: ($0, $1, $2)) }
      }
    }
  }

  /// Closes idle connections, so that the next requests use new ones, and writes the cookies and responses that were stored so far. When
  /// this returns, the cookies are durable: they survive a crash of the process and of the machine.
  public func flush() async {
    await withUnsafeContinuation { continuation in flush { continuation.resume() } }
  }

  /// Empties the cache and the storages of cookies and credentials, also those that other sessions share, and does what ``flush()``
  /// does.
  public func reset() async {
    await withUnsafeContinuation { continuation in reset { continuation.resume() } }
  }

  /// Runs a task to its end. Cancelling the caller cancels it.
  func finish(_ task: URLSessionTask) async {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { task.load.resume(task, waking: $0) }
    } onCancel: {
      task.cancel()
    }
  }
}
