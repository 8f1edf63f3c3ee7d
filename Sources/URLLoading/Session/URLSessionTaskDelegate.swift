/// What a task tells its owner, and asks, whatever its kind.
///
/// A delegate of a single task that lacks a method leaves it to the session's delegate: the defaults below do that.
public protocol URLSessionTaskDelegate: URLSessionDelegate {
  /// A task was made. Called at once, on the thread that made it, before anything else is said about the task.
  func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask)

  /// The server redirects. Call the handler with the request to follow, changed or not, or with nil to take the
  /// redirect's response as the result.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void)

  /// The async form of the method with a completion handler.
  nonisolated(nonsending) func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest
  ) async -> URLRequest?

  /// The task needs credentials.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)

  /// The async form of the method with a completion handler.
  nonisolated(nonsending) func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

  /// The task needs a body stream: to begin with, or again because the first one was read.
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void)

  /// Bytes of the body were sent. Counts are in bytes; the expected total is -1 when it is not known.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64)

  /// An informational (1xx) response came.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse)

  /// The task's metrics are complete. Never after completion.
  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics)

  /// The task ended: the last call about it. A server's status is not an error.
  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
}

extension URLSessionTaskDelegate {
  /// Tells the session's delegate.
  public func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
    session.taskDelegate(behind: self)?.urlSession(session, didCreateTask: task)
  }

  /// Asks the async form.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    Task.immediate {
      completionHandler(
        await self.urlSession(session, task: task, willPerformHTTPRedirection: response, newRequest: request))
    }
  }

  /// Asks the session's delegate; else follows.
  public nonisolated(nonsending) func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest
  ) async -> URLRequest? {
    guard let next = session.taskDelegate(behind: self) else { return request }
    return await withUnsafeContinuation { continuation in
      next.urlSession(session, task: task, willPerformHTTPRedirection: response, newRequest: request) {
        continuation.resume(returning: $0)
      }
    }
  }

  /// Asks the async form.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    Task.immediate {
      let answer = await self.urlSession(session, task: task, didReceive: challenge)
      completionHandler(answer.0, answer.1)
    }
  }

  /// Asks the session's delegate; else handles the challenge by default.
  public nonisolated(nonsending) func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    guard let next = session.taskDelegate(behind: self) else { return (.performDefaultHandling, nil) }
    return await withUnsafeContinuation { continuation in
      next.urlSession(session, task: task, didReceive: challenge) { continuation.resume(returning: ($0, $1)) }
    }
  }

  /// Asks the session's delegate; else there is no stream.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    guard let next = session.taskDelegate(behind: self) else { return completionHandler(nil) }
    next.urlSession(session, task: task, needNewBodyStream: completionHandler)
  }

  /// Tells the session's delegate.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    session.taskDelegate(behind: self)?.urlSession(
      session, task: task, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
      totalBytesExpectedToSend: totalBytesExpectedToSend)
  }

  /// Tells the session's delegate.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse
  ) {
    session.taskDelegate(behind: self)?.urlSession(session, task: task, didReceiveInformationalResponse: response)
  }

  /// Tells the session's delegate.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
  ) {
    session.taskDelegate(behind: self)?.urlSession(session, task: task, didFinishCollecting: metrics)
  }

  /// Tells the session's delegate.
  public func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    session.taskDelegate(behind: self)?.urlSession(session, task: task, didCompleteWithError: error)
  }
}
