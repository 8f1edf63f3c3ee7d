/// Something that happened in a load, on its way to the listener.
enum LoadEvent: Sendable {
  case began
  case chose(URLProtocol.Type, URLRequest)
  case queued(Bool)
  case waitsForConnectivity(any Error)
  case retries(URLSession.EventRetryReason)
  case missedCache(URLSession.EventCacheReason)
  case hitCache(URLResponse, URLSession.EventCacheReason)
  case validates(URLResponse, URLSession.EventCacheReason)
  case validated(URLResponse)
  case stored(URLResponse)
  case notStored(URLResponse, URLSession.EventCacheReason)
  case lookedUp(DateInterval, URLSessionTaskTransactionMetrics)
  case connected(DateInterval, URLSessionTaskTransactionMetrics)
  case secured(DateInterval, URLSessionTaskTransactionMetrics)
  case reused(URLSessionTaskTransactionMetrics)
  case sent(Date, URLSessionTaskTransactionMetrics)
  case informational(HTTPURLResponse)
  case response(URLResponse)
  case body(Data)
  /// What follows is told of this task.
  case became(URLSessionDownloadTask)
  case becameStream(URLSessionStreamTask)
  case redirected(URLResponse, proposed: URLRequest, followed: URLRequest?)
  case challenged(URLAuthenticationChallenge)
  case answered(URLAuthenticationChallenge, URLSession.AuthChallengeDisposition, URLCredential?)
  case paused(URLSession.EventPauseReason)
  case resumed(URLSession.EventPauseReason)
  case finishedTransaction(URLSessionTaskTransactionMetrics)
  case ended(URLSession.EventOutcome, URLSessionTaskMetrics)

  /// Calls the listener's method for it.
  func report(to listener: any URLSession.EventListener, of task: URLSessionTask) {
    switch self {
    case .began: listener.taskDidBegin(task)
    case .chose(let protocolClass, let request): listener.task(task, didChoose: protocolClass, for: request)
    case .queued(true): listener.taskDidEnterQueue(task)
    case .queued(false): listener.taskDidLeaveQueue(task)
    case .waitsForConnectivity(let error): listener.task(task, isWaitingForConnectivity: error)
    case .retries(let reason): listener.task(task, willRetry: reason)
    case .missedCache(let reason): listener.task(task, didMissCache: reason)
    case .hitCache(let response, let reason): listener.task(task, didHitCache: response, reason: reason)
    case .validates(let response, let reason): listener.task(task, willValidate: response, reason: reason)
    case .validated(let response): listener.task(task, didValidate: response)
    case .stored(let response): listener.task(task, didStore: response)
    case .notStored(let response, let reason): listener.task(task, didNotStore: response, reason: reason)
    case .lookedUp(let interval, let metrics): listener.task(task, didLookUpHost: interval, transaction: metrics)
    case .connected(let interval, let metrics): listener.task(task, didConnect: interval, transaction: metrics)
    case .secured(let interval, let metrics): listener.task(task, didSecureConnection: interval, transaction: metrics)
    case .reused(let metrics): listener.task(task, didReuseConnection: metrics)
    case .sent(let date, let metrics): listener.task(task, didSendRequest: date, transaction: metrics)
    case .informational(let response): listener.task(task, didReceiveInformational: response)
    case .response(let response): listener.task(task, didReceive: response)
    case .body(let bytes): listener.task(task, didReceiveBody: bytes)
    case .became(let download): listener.task(task, didBecome: download)
    case .becameStream(let stream): listener.task(task, didBecome: stream)
    case .redirected(let response, let proposed, let followed):
      listener.task(task, didRedirect: response, to: proposed, following: followed)
    case .challenged(let challenge): listener.task(task, didReceive: challenge)
    case .answered(let challenge, let disposition, let credential):
      listener.task(task, didAnswer: challenge, disposition: disposition, credential: credential)
    case .paused(let reason): listener.task(task, didPause: reason)
    case .resumed(let reason): listener.task(task, didResume: reason)
    case .finishedTransaction(let metrics): listener.task(task, didFinish: metrics)
    case .ended(let outcome, let metrics): listener.task(task, didEnd: outcome, metrics: metrics)
    }
  }
}

extension LoadEvent {
  /// The task that the load is of from here on.
  var successor: URLSessionTask? {
    switch self {
    case .became(let download): download
    case .becameStream(let stream): stream
    default: nil
    }
  }
}
