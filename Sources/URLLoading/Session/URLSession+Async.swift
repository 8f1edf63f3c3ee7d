/// Loading with `async` functions. Cancelling the surrounding `Task` cancels the load.
extension URLSession {
  /// Loads a resource into memory.
  public func data(from url: URL, delegate: (any URLSessionTaskDelegate)? = nil) async throws -> (Data, URLResponse) {
    try await data(for: URLRequest(url: url), delegate: delegate)
  }

  /// Loads a resource into memory.
  /// - Parameters:
  ///   - request: what to load.
  ///   - delegate: asked first about redirects, challenges and so on; the session's for what it lacks.
  /// - Throws: `URLError` as a rule, with the URL in `failingURL`; what a protocol class failed with.
  public func data(
    for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) {
    let (body, response) = try await run(delegate) { owner in
      URLSessionDataTask(
        load: self.load(LoadPlan(request: request, kind: .data, owner: owner, upload: UploadSource(of: request))))
    }
    return (body.data ?? Data(), response)
  }

  /// Sends bytes, and gives what the server answers.
  public func upload(
    for request: URLRequest, from bodyData: Data, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) {
    try await upload(request, .data(bodyData), delegate)
  }

  /// Sends a file, which is read as it is sent, and gives what the server answers.
  public func upload(
    for request: URLRequest, fromFile fileURL: URL, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) {
    try await upload(request, .file(fileURL), delegate)
  }

  private func upload(
    _ request: URLRequest, _ source: UploadSource, _ delegate: (any URLSessionTaskDelegate)?
  ) async throws -> (Data, URLResponse) {
    let (body, response) = try await run(delegate) { owner in
      URLSessionUploadTask(load: self.load(LoadPlan(request: request, kind: .upload, owner: owner, upload: source)))
    }
    return (body.data ?? Data(), response)
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
    try await file(
      of: run(delegate) { owner in
        URLSessionDownloadTask(
          load: self.load(LoadPlan(request: request, kind: .download, owner: owner, upload: UploadSource(of: request))))
      })
  }

  /// Goes on with a download where an earlier one stopped.
  /// - Parameter resumeData: from `URLSessionDownloadTask.cancelByProducingResumeData()`, or an error's `userInfo`.
  public func download(
    resumeFrom resumeData: Data, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (URL, URLResponse) {
    try await file(of: run(delegate) { owner in self.download(resumingWith: resumeData, owner: owner) })
  }

  private func file(of result: (LoadedBody, URLResponse)) throws -> (URL, URLResponse) {
    guard let file = result.0.file else { throw URLError(.cannotOpenFile) }
    return (file, result.1)
  }

  /// The tasks that have not ended.
  public var allTasks: [URLSessionTask] {
    get async { taskRegistry.all }
  }

  /// The tasks that have not ended, by kind.
  public var tasks: ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
    get async {
      await withUnsafeContinuation { continuation in
        getTasksWithCompletionHandler { continuation.resume(returning: ($0, $1, $2)) }
      }
    }
  }

  /// Closes idle connections, so that the next requests use new ones.
  public func flush() async {
    await withUnsafeContinuation { continuation in flush { continuation.resume() } }
  }

  /// Empties the cookie storage and does what ``flush()`` does.
  public func reset() async {
    await withUnsafeContinuation { continuation in reset { continuation.resume() } }
  }

  /// Runs a task for a caller that waits for it.
  private func run(
    _ delegate: (any URLSessionTaskDelegate)?, _ make: (LoadPlan.Owner) -> URLSessionTask
  ) async throws -> (LoadedBody, URLResponse) {
    let task = made(make(.waiter), delegate: delegate)
    await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
        task.load.wait(continuation)
        task.resume()
      }
    } onCancel: {
      task.cancel()
    }
    let outcome = task.load.takeOutcome()
    guard let response = outcome.response, outcome.error == nil else {
      throw outcome.error ?? URLError(.badServerResponse)
    }
    return (outcome.body, response)
  }
}
