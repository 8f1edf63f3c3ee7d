extension URLSession {
  /// Passes every event on to several listeners, in their order.
  ///
  /// ```swift
  /// configuration.sessionEventListener = URLSession.EventForwarder([archive, log])
  /// ```
  public struct EventForwarder: EventListener {
    /// Those that hear of the events.
    public let listeners: [any EventListener]
    /// Whether one of them wants bodies. The others do not get them.
    public let wantsBodies: Bool

    /// Makes a listener of several.
    public init(_ listeners: [any EventListener]) {
      self.listeners = listeners
      wantsBodies = listeners.contains { $0.wantsBodies }
    }

    /// Those of the listeners that want the events of the task; nil where none does.
    public func listener(for request: URLRequest) -> (any EventListener)? {
      let wanted = listeners.compactMap { $0.listener(for: request) }
      return wanted.count < 2 ? wanted.first : EventForwarder(wanted)
    }

    /// Passes the event on.
    public func didOpenConnection(_ connection: EventConnection) {
      for listener in listeners { listener.didOpenConnection(connection) }
    }

    /// Passes the event on.
    public func didCloseConnection(_ connection: EventConnection) {
      for listener in listeners { listener.didCloseConnection(connection) }
    }

    /// Asks all; where two have the same field, that of the first counts.
    public func task(_ task: URLSessionTask, willLoad request: URLRequest) -> [String: String] {
      listeners.reduce(into: [:]) { fields, listener in
        fields.merge(listener.task(task, willLoad: request)) { first, _ in first }
      }
    }

    /// Passes the event on.
    public func session(_ session: URLSession, isWaitingForTransferService error: any Error) {
      for listener in listeners { listener.session(session, isWaitingForTransferService: error) }
    }

    /// Passes the event on.
    public func taskDidBegin(_ task: URLSessionTask) { for listener in listeners { listener.taskDidBegin(task) } }

    /// Passes the event on.
    public func task(_ task: URLSessionTask, didChoose protocolClass: URLProtocol.Type, for request: URLRequest) {
      for listener in listeners { listener.task(task, didChoose: protocolClass, for: request) }
    }

    /// Passes the event on.
    public func taskDidEnterQueue(_ task: URLSessionTask) {
      for listener in listeners { listener.taskDidEnterQueue(task) }
    }

    /// Passes the event on.
    public func taskDidLeaveQueue(_ task: URLSessionTask) {
      for listener in listeners { listener.taskDidLeaveQueue(task) }
    }

    /// Passes the event on.
    public func task(_ task: URLSessionTask, isWaitingForConnectivity error: any Error) {
      for listener in listeners { listener.task(task, isWaitingForConnectivity: error) }
    }

    /// Passes the event on.
    public func task(_ task: URLSessionTask, willRetry reason: EventRetryReason) {
      for listener in listeners { listener.task(task, willRetry: reason) }
    }

    /// Passes the event on.
    public func task(_ task: URLSessionTask, didMissCache reason: EventCacheReason) {
      for listener in listeners { listener.task(task, didMissCache: reason) }
    }

    /// Passes the event on.
    public func task(_ task: URLSessionTask, didHitCache response: URLResponse, reason: EventCacheReason) {
      for listener in listeners { listener.task(task, didHitCache: response, reason: reason) }
    }

    /// Passes the event on.
    public func task(_ task: URLSessionTask, willValidate response: URLResponse, reason: EventCacheReason) {
      for listener in listeners { listener.task(task, willValidate: response, reason: reason) }
    }

    /// Passes the event on.
    public func task(_ task: URLSessionTask, didValidate answer: URLResponse) {
      for listener in listeners { listener.task(task, didValidate: answer) }
    }

    /// Passes the event on.
    public func task(_ task: URLSessionTask, didStore response: URLResponse) {
      for listener in listeners { listener.task(task, didStore: response) }
    }

    /// Passes the event on.
    public func task(_ task: URLSessionTask, didNotStore response: URLResponse, reason: EventCacheReason) {
      for listener in listeners { listener.task(task, didNotStore: response, reason: reason) }
    }

    /// Passes the event on.
    public func task(
      _ task: URLSessionTask, didLookUpHost interval: DateInterval, transaction: URLSessionTaskTransactionMetrics
    ) {
      for listener in listeners { listener.task(task, didLookUpHost: interval, transaction: transaction) }
    }

    /// Passes the event on.
    public func task(
      _ task: URLSessionTask, didConnect interval: DateInterval, transaction: URLSessionTaskTransactionMetrics
    ) {
      for listener in listeners { listener.task(task, didConnect: interval, transaction: transaction) }
    }

    /// Passes the event on.
    public func task(
      _ task: URLSessionTask, didSecureConnection interval: DateInterval, transaction: URLSessionTaskTransactionMetrics
    ) {
      for listener in listeners { listener.task(task, didSecureConnection: interval, transaction: transaction) }
    }

    /// Passes the event on.
    public func task(_ task: URLSessionTask, didReuseConnection transaction: URLSessionTaskTransactionMetrics) {
      for listener in listeners { listener.task(task, didReuseConnection: transaction) }
    }

    /// Passes the event on.
    public func task(
      _ task: URLSessionTask, didSendRequest date: Date, transaction: URLSessionTaskTransactionMetrics
    ) {
      for listener in listeners { listener.task(task, didSendRequest: date, transaction: transaction) }
    }

    /// Passes the event on.
    public func task(_ task: URLSessionTask, didReceiveInformational response: HTTPURLResponse) {
      for listener in listeners { listener.task(task, didReceiveInformational: response) }
    }

    /// Passes the event on.
    public func task(_ task: URLSessionTask, didReceive response: URLResponse) {
      for listener in listeners { listener.task(task, didReceive: response) }
    }

    /// Passes the event on.
    public func task(_ task: URLSessionTask, didReceiveBody bytes: Data) {
      for listener in listeners where listener.wantsBodies { listener.task(task, didReceiveBody: bytes) }
    }

    /// Passes the event on.
    public func task(_ task: URLSessionTask, didBecome download: URLSessionDownloadTask) {
      for listener in listeners { listener.task(task, didBecome: download) }
    }

    /// Passes the event on.
    public func task(_ task: URLSessionTask, didBecome stream: URLSessionStreamTask) {
      for listener in listeners { listener.task(task, didBecome: stream) }
    }

    /// Passes the event on.
    public func task(
      _ task: URLSessionTask, didRedirect response: URLResponse, to proposed: URLRequest,
      following request: URLRequest?
    ) {
      for listener in listeners { listener.task(task, didRedirect: response, to: proposed, following: request) }
    }

    /// Passes the event on.
    public func task(_ task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge) {
      for listener in listeners { listener.task(task, didReceive: challenge) }
    }

    /// Passes the event on.
    public func task(
      _ task: URLSessionTask, didAnswer challenge: URLAuthenticationChallenge,
      disposition: URLSession.AuthChallengeDisposition, credential: URLCredential?
    ) {
      for listener in listeners {
        listener.task(task, didAnswer: challenge, disposition: disposition, credential: credential)
      }
    }

    /// Passes the event on.
    public func task(_ task: URLSessionTask, didPause reason: EventPauseReason) {
      for listener in listeners { listener.task(task, didPause: reason) }
    }

    /// Passes the event on.
    public func task(_ task: URLSessionTask, didResume reason: EventPauseReason) {
      for listener in listeners { listener.task(task, didResume: reason) }
    }

    /// Passes the event on.
    public func task(_ task: URLSessionTask, didFinish transaction: URLSessionTaskTransactionMetrics) {
      for listener in listeners { listener.task(task, didFinish: transaction) }
    }

    /// Passes the event on.
    public func task(_ task: URLSessionTask, didEnd outcome: EventOutcome, metrics: URLSessionTaskMetrics) {
      for listener in listeners { listener.task(task, didEnd: outcome, metrics: metrics) }
    }
  }
}
