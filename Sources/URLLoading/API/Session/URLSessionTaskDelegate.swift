/// What a task of any kind reports to its owner, and asks it.
///
/// For a method that the delegate of a single task does not implement, the session calls its own delegate.
@preconcurrency
public protocol URLSessionTaskDelegate: URLSessionDelegate {
  /// A task was made. Called on the thread that made it, before any other call about the task.
  func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask)

  /// The task waits for connectivity, since there is no route or no name service: at most once a task, where
  /// ``URLSessionConfiguration/waitsForConnectivity`` is set. A place to inform the user, or to cancel the task.
  func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask)

  /// A task with an `earliestBeginDate` is about to begin. Call the handler with what to do, and with the request to load where that is
  /// `useNewRequest`. It is called for background sessions alone, as on Apple's systems.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void)

  /// The async form of the method with a completion handler.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest
  ) async -> (URLSession.DelayedRequestDisposition, URLRequest?)

  /// The server redirects. Call the handler with the request to follow, changed or not, or with nil to take the
  /// redirect's response as the result. Not called where a request for `http` becomes one for `https` because the host has asked for that
  /// (`Strict-Transport-Security`). Also called with an interim response, status 104, that names a place of another origin for the rest of
  /// an upload, which stays where it is if the answer is nil.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void)

  /// The async form of the method with a completion handler.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest
  ) async -> URLRequest?

  /// The task needs credentials.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)

  /// The async form of the method with a completion handler.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

  /// The task needs a body stream: to begin with, or again because the first one was read.
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void)

  /// The async form of the method with a completion handler.
  func urlSession(
    _ session: URLSession, needNewBodyStreamForTask task: URLSessionTask
  ) async -> InputStream?

  /// An upload of a stream is resumed after an interruption, and needs its body from a byte on. Where there is no such stream it fails.
  ///
  /// `offset`: the number of bytes that the server has.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, needNewBodyStreamFrom offset: Int64,
    completionHandler: @escaping @Sendable (InputStream?) -> Void)

  /// The async form of the method with a completion handler.
  func urlSession(
    _ session: URLSession, needNewBodyStreamForTask task: URLSessionTask, from offset: Int64
  ) async -> InputStream?

  /// Bytes of the body were sent. Counts are in bytes; the expected total is -1 when it is not known.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64)

  /// An informational (1xx) response was received.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse)

  /// The task's metrics are complete. Never after completion.
  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics)

  /// The task ended: the last call about it. A server's status is not an error.
  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
}

extension URLSessionTaskDelegate {
  /// Does nothing.
  public func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
    DelegateProbe.reachedDefault(of: self, .created)
  }

  /// Does nothing.
  public func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
    DelegateProbe.reachedDefault(of: self, .waiting)
  }

  /// Calls the async form; where there is none, the request is loaded.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
  ) {
    DelegateForms.askAsyncForm(
      of: self, .delayed, absent: DelayedRequestAnswer.byDefault, { completionHandler($0.disposition, $0.request) },
      {
        let answer = await self.urlSession(session, task: task, willBeginDelayedRequest: request)
        return DelayedRequestAnswer(disposition: answer.0, request: answer.1)
      })
  }

  /// Calls the form with a handler; where there is none, the request is loaded.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest
  ) async -> (URLSession.DelayedRequestDisposition, URLRequest?) {
    let answer = await DelegateForms.askHandlerForm(of: self, .delayed, absent: DelayedRequestAnswer.byDefault) {
      handler in
      self.urlSession(session, task: task, willBeginDelayedRequest: request) {
        handler(DelayedRequestAnswer(disposition: $0, request: $1))
      }
    }
    return (answer.disposition, answer.request)
  }

  /// Calls the async form; where there is none, the redirect is followed.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    DelegateForms.askAsyncForm(of: self, .redirect, absent: request, completionHandler) {
      await self.urlSession(session, task: task, willPerformHTTPRedirection: response, newRequest: request)
    }
  }

  /// Calls the form with a handler; where there is none, the redirect is followed.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest
  ) async -> URLRequest? {
    await DelegateForms.askHandlerForm(of: self, .redirect, absent: request) { handler in
      self.urlSession(
        session, task: task, willPerformHTTPRedirection: response, newRequest: request, completionHandler: handler)
    }
  }

  /// Calls the async form; where there is none, the challenge is handled by default.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    DelegateForms.askAsyncForm(
      of: self, .challenge, absent: .byDefault, { completionHandler($0.disposition, $0.credential) },
      {
        let answer = await self.urlSession(session, task: task, didReceive: challenge)
        return ChallengeAnswer(answer.0, answer.1)
      })
  }

  /// Calls the form with a handler; where there is none, the challenge is handled by default.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    let answer = await DelegateForms.askHandlerForm(of: self, .challenge, absent: ChallengeAnswer.byDefault) {
      handler in
      self.urlSession(session, task: task, didReceive: challenge) { handler(ChallengeAnswer($0, $1)) }
    }
    return (answer.disposition, answer.credential)
  }

  /// Calls the async form; where there is none, there is no stream.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    DelegateForms.askAsyncForm(
      of: self, .bodyStream, absent: HandedStream(nil), { completionHandler($0.stream) },
      { HandedStream(await self.urlSession(session, needNewBodyStreamForTask: task)) })
  }

  /// Calls the form with a handler; where there is none, there is no stream.
  public func urlSession(
    _ session: URLSession, needNewBodyStreamForTask task: URLSessionTask
  ) async -> InputStream? {
    await DelegateForms.askHandlerForm(of: self, .bodyStream, absent: HandedStream(nil)) { handler in
      self.urlSession(session, task: task, needNewBodyStream: { handler(HandedStream($0)) })
    }.stream
  }

  /// Calls the async form; where there is none, there is no stream.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, needNewBodyStreamFrom offset: Int64,
    completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    DelegateForms.askAsyncForm(
      of: self, .bodyStreamFromOffset, absent: HandedStream(nil), { completionHandler($0.stream) },
      { HandedStream(await self.urlSession(session, needNewBodyStreamForTask: task, from: offset)) })
  }

  /// Calls the form with a handler; where there is none, there is no stream.
  public func urlSession(
    _ session: URLSession, needNewBodyStreamForTask task: URLSessionTask, from offset: Int64
  ) async -> InputStream? {
    await DelegateForms.askHandlerForm(of: self, .bodyStreamFromOffset, absent: HandedStream(nil)) { handler in
      self.urlSession(
        session, task: task, needNewBodyStreamFrom: offset, completionHandler: { handler(HandedStream($0)) })
    }.stream
  }

  /// Does nothing.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    DelegateProbe.reachedDefault(of: self, .sent)
  }

  /// Does nothing.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse
  ) {
    DelegateProbe.reachedDefault(of: self, .informational)
  }

  /// Does nothing.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
  ) {
    DelegateProbe.reachedDefault(of: self, .metrics)
  }

  /// Does nothing.
  public func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    DelegateProbe.reachedDefault(of: self, .completion)
  }
}
