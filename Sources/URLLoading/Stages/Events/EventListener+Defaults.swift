/// Listeners implement what they want to hear of.
extension URLSession.EventListener {
  /// False.
  public var wantsBodies: Bool { false }

  /// This listener.
  public func listener(for request: URLRequest) -> (any URLSession.EventListener)? { self }

  /// Does nothing.
  public func didOpenConnection(_ connection: URLSession.EventConnection) {}

  /// Does nothing.
  public func didCloseConnection(_ connection: URLSession.EventConnection) {}

  /// Adds no fields.
  public func task(_ task: URLSessionTask, willLoad request: URLRequest) -> [String: String] { [:] }

  /// Does nothing.
  public func session(_ session: URLSession, isWaitingForTransferService error: any Error) {}

  /// Does nothing.
  public func taskDidBegin(_ task: URLSessionTask) {}

  /// Does nothing.
  public func task(_ task: URLSessionTask, didChoose protocolClass: URLProtocol.Type, for request: URLRequest) {}

  /// Does nothing.
  public func taskDidEnterQueue(_ task: URLSessionTask) {}

  /// Does nothing.
  public func taskDidLeaveQueue(_ task: URLSessionTask) {}

  /// Does nothing.
  public func task(_ task: URLSessionTask, isWaitingForConnectivity error: any Error) {}

  /// Does nothing.
  public func task(_ task: URLSessionTask, willRetry reason: URLSession.EventRetryReason) {}

  /// Does nothing.
  public func task(_ task: URLSessionTask, didMissCache reason: URLSession.EventCacheReason) {}

  /// Does nothing.
  public func task(
    _ task: URLSessionTask, didHitCache response: URLResponse, reason: URLSession.EventCacheReason
  ) {}

  /// Does nothing.
  public func task(
    _ task: URLSessionTask, willValidate response: URLResponse, reason: URLSession.EventCacheReason
  ) {}

  /// Does nothing.
  public func task(_ task: URLSessionTask, didValidate answer: URLResponse) {}

  /// Does nothing.
  public func task(_ task: URLSessionTask, didStore response: URLResponse) {}

  /// Does nothing.
  public func task(
    _ task: URLSessionTask, didNotStore response: URLResponse, reason: URLSession.EventCacheReason
  ) {}

  /// Does nothing.
  public func task(
    _ task: URLSessionTask, didLookUpHost interval: DateInterval, transaction: URLSessionTaskTransactionMetrics
  ) {}

  /// Does nothing.
  public func task(
    _ task: URLSessionTask, didConnect interval: DateInterval, transaction: URLSessionTaskTransactionMetrics
  ) {}

  /// Does nothing.
  public func task(
    _ task: URLSessionTask, didSecureConnection interval: DateInterval, transaction: URLSessionTaskTransactionMetrics
  ) {}

  /// Does nothing.
  public func task(_ task: URLSessionTask, didReuseConnection transaction: URLSessionTaskTransactionMetrics) {}

  /// Does nothing.
  public func task(_ task: URLSessionTask, didSendRequest date: Date, transaction: URLSessionTaskTransactionMetrics) {}

  /// Does nothing.
  public func task(_ task: URLSessionTask, didReceiveInformational response: HTTPURLResponse) {}

  /// Does nothing.
  public func task(_ task: URLSessionTask, didReceive response: URLResponse) {}

  /// Does nothing.
  public func task(_ task: URLSessionTask, didReceiveBody bytes: Data) {}

  /// Does nothing.
  public func task(_ task: URLSessionTask, didBecome download: URLSessionDownloadTask) {}

  /// Does nothing.
  public func task(_ task: URLSessionTask, didBecome stream: URLSessionStreamTask) {}

  /// Does nothing.
  public func task(
    _ task: URLSessionTask, didRedirect response: URLResponse, to proposed: URLRequest, following request: URLRequest?
  ) {}

  /// Does nothing.
  public func task(_ task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge) {}

  /// Does nothing.
  public func task(
    _ task: URLSessionTask, didAnswer challenge: URLAuthenticationChallenge,
    disposition: URLSession.AuthChallengeDisposition, credential: URLCredential?
  ) {}

  /// Does nothing.
  public func task(_ task: URLSessionTask, didPause reason: URLSession.EventPauseReason) {}

  /// Does nothing.
  public func task(_ task: URLSessionTask, didResume reason: URLSession.EventPauseReason) {}

  /// Does nothing.
  public func task(_ task: URLSessionTask, didFinish transaction: URLSessionTaskTransactionMetrics) {}

  /// Does nothing.
  public func task(
    _ task: URLSessionTask, didEnd outcome: URLSession.EventOutcome, metrics: URLSessionTaskMetrics
  ) {}
}
