extension URLSession {
  /// Receives all events of a session's loads: for logs, metrics, and the reasons of cache decisions.
  ///
  /// ```swift
  /// configuration.sessionEventListener = MyListener()
  /// ```
  ///
  /// Every method has an empty default implementation. The events of one task are serial and in order; those of
  /// different tasks are concurrent. A method is called on the thread of the event, often the transfer loop: it must
  /// not block. The library holds no lock, so it may call methods of the task, such as `cancel()`; the resulting events
  /// follow after the method has returned.
  ///
  /// URLs, header fields and errors contain their secrets. A listener that records them must redact these, as
  /// ``HTTPArchiveWriter`` does.
  public protocol EventListener: Sendable {
    /// Whether ``task(_:didReceiveBody:)`` is called, which costs a copy of every body. False unless implemented.
    var wantsBodies: Bool { get }

    /// The listener of one task, which gets all of its events: this one unless implemented, or one with a state of its own.
    ///
    /// It is asked when the task is made, on the thread that makes it: there the task-local values of that code hold. The session does not
    /// tell tasks apart by it; it is released with the task. Nil where nobody wants the events of the task, which then costs no more than
    /// in a session without a listener.
    /// - Parameter request: the request of the task, without what the session adds.
    func listener(for request: URLRequest) -> (any URLSession.EventListener)?

    // MARK: The session

    /// A connection was made, to a server or a proxy, for loads over `http`, `https`, `ftp` and `ftps`, or for a stream task. Told of the
    /// session, not of a task: the listener of the configuration gets it. A connection by QUIC counts from its first answer. It is in the
    /// midst of the transfer loop's work.
    func didOpenConnection(_ connection: EventConnection)

    /// A connection has ended that ``didOpenConnection(_:)`` has told of.
    func didCloseConnection(_ connection: EventConnection)

    /// Somebody has asked for the tasks of a background session, and gets those that are known: the transfer service has not answered for
    /// five seconds. What it was told meanwhile it will be told when it answers.
    func session(_ session: URLSession, isWaitingForTransferService error: any Error)

    // MARK: The beginning of a load and of its attempts

    /// The task was resumed for the first time, or cancelled before that. The first event of every task.
    func taskDidBegin(_ task: URLSessionTask)

    /// A class was chosen to load this request. Another attempt follows each redirect, and each ``task(_:willRetry:)``.
    ///
    /// `request`: with its cookies, in the canonical form of the class; without the fields that validate what is stored.
    func task(_ task: URLSessionTask, didChoose protocolClass: URLProtocol.Type, for request: URLRequest)

    /// An attempt begins, for which nothing stored answers: an instance of the class is made, and gets this request.
    ///
    /// The fields that are returned are set in the request, where it is one of HTTP, in place of those of the same names: for what follows a
    /// request from program to program, such as the context of a trace (`traceparent`). They are not for what the load decides by, such as
    /// conditions, ranges, cookies and credentials. Each attempt asks anew, after the cache was looked up; a request that goes out again
    /// within an attempt, with a credential or on another connection, has the fields of its attempt. What is made of the request, such as
    /// that of a redirect, which a delegate sees, is without them.
    ///
    /// Called by the thread that begins the attempt, ahead of it, and not in the order of events: another thread may be telling of an
    /// earlier one.
    func task(_ task: URLSessionTask, willLoad request: URLRequest) -> [String: String]

    /// The attempt waits for something that is not its peer's fault, such as a connection.
    func taskDidEnterQueue(_ task: URLSessionTask)

    /// The attempt no longer waits.
    func taskDidLeaveQueue(_ task: URLSessionTask)

    /// There is no network, and the task waits for it (``URLSessionConfiguration/waitsForConnectivity``).
    func task(_ task: URLSessionTask, isWaitingForConnectivity error: any Error)

    /// The load begins another attempt for the same request.
    func task(_ task: URLSessionTask, willRetry reason: EventRetryReason)

    // MARK: The cache

    /// Nothing that is stored answers; the request is sent as it is, or fails where only the cache may answer.
    func task(_ task: URLSessionTask, didMissCache reason: EventCacheReason)

    /// A stored response answers.
    func task(_ task: URLSessionTask, didHitCache response: URLResponse, reason: EventCacheReason)

    /// The request is sent with the conditions under which a stored response is still right.
    func task(_ task: URLSessionTask, willValidate response: URLResponse, reason: EventCacheReason)

    /// The source says that what is stored is right (304), and that answers.
    func task(_ task: URLSessionTask, didValidate answer: URLResponse)

    /// The response was stored, with its whole body.
    func task(_ task: URLSessionTask, didStore response: URLResponse)

    /// The response is not stored.
    func task(_ task: URLSessionTask, didNotStore response: URLResponse, reason: EventCacheReason)

    // MARK: The connection

    // For http and https these four are told right before the response, with the dates at which they were true: libcurl does not tell
    // them earlier. Other classes tell what their transaction metrics have, some of them at their end.

    /// The host's name was resolved.
    func task(
      _ task: URLSessionTask, didLookUpHost interval: DateInterval, transaction: URLSessionTaskTransactionMetrics)

    /// The connection to the host, or to the proxy, was made.
    func task(_ task: URLSessionTask, didConnect interval: DateInterval, transaction: URLSessionTaskTransactionMetrics)

    /// The TLS handshake was done.
    func task(
      _ task: URLSessionTask, didSecureConnection interval: DateInterval, transaction: URLSessionTaskTransactionMetrics)

    /// A connection was used that had served an earlier request, in place of the three events above.
    func task(_ task: URLSessionTask, didReuseConnection transaction: URLSessionTaskTransactionMetrics)

    /// The request's head was sent; for a body that is sent after it the class may know no more than that.
    func task(_ task: URLSessionTask, didSendRequest date: Date, transaction: URLSessionTaskTransactionMetrics)

    // MARK: What comes back

    /// An informational (1xx) response came.
    func task(_ task: URLSessionTask, didReceiveInformational response: HTTPURLResponse)

    /// The head of the response came, from the source or the cache.
    func task(_ task: URLSessionTask, didReceive response: URLResponse)

    /// Bytes of the response's body, where ``wantsBodies`` is true.
    func task(_ task: URLSessionTask, didReceiveBody bytes: Data)

    /// The load continues as that of a download task, whose events follow.
    func task(_ task: URLSessionTask, didBecome download: URLSessionDownloadTask)

    /// The load continues as that of a stream task, whose events follow.
    func task(_ task: URLSessionTask, didBecome stream: URLSessionStreamTask)

    /// A redirect came, and it was decided about. Or a request for `http` becomes one for `https`, since the host has asked for that
    /// (`Strict-Transport-Security`): then the response is one that nobody has sent, with the status 307.
    /// - Parameters:
    ///   - task: the task that is redirected.
    ///   - response: the redirect itself.
    ///   - proposed: the request to which it leads.
    ///   - request: the request that is loaded next, which a delegate may have changed; nil where the redirect is refused, and its own
    ///     response is the result.
    func task(
      _ task: URLSessionTask, didRedirect response: URLResponse, to proposed: URLRequest, following request: URLRequest?
    )

    /// Credentials or a decision are asked for.
    func task(_ task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge)

    /// A challenge was answered: by the URL, the credential storage or the delegate.
    func task(
      _ task: URLSessionTask, didAnswer challenge: URLAuthenticationChallenge,
      disposition: URLSession.AuthChallengeDisposition, credential: URLCredential?)

    // MARK: Flow

    /// No more is read from the source for this reason. There may be both reasons at a time.
    func task(_ task: URLSessionTask, didPause reason: EventPauseReason)

    /// A reason to pause has gone.
    func task(_ task: URLSessionTask, didResume reason: EventPauseReason)

    // MARK: Endings

    /// One request and its response are over: whole, given up for another one, failed or cancelled. A redirect, a challenge whose response
    /// is answered, a 304 and a stored response are transactions of their own.
    func task(_ task: URLSessionTask, didFinish transaction: URLSessionTaskTransactionMetrics)

    /// The task has ended. The last event of every task; the program hears of the end afterwards.
    func task(_ task: URLSessionTask, didEnd outcome: EventOutcome, metrics: URLSessionTaskMetrics)
  }
}
