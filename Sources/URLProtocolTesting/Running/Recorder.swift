import URLLoading

/// The delegate of the kit's sessions: records the calls about each task, and answers what it is asked as the check wants.
///
/// Mutable state: in `outcomes`, `questions` and `isInvalid`, which guard it.
final class Recorder: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, Sendable {
  /// By task identifier.
  let outcomes = Observed<[Int: LoadOutcome]>([:])
  let questions = Observed(DelegateQuestions())
  let isInvalid = Observed(false)
  let ledger: Ledger
  private let answers: DelegateAnswers
  /// Blocks the delegate calls of data tasks at the first data.
  private let hold: Hold?

  init(ledger: Ledger, hold: Hold?, answers: DelegateAnswers) {
    self.ledger = ledger
    self.hold = hold
    self.answers = answers
  }

  private func record(_ task: URLSessionTask, _ call: String? = nil, _ change: (inout LoadOutcome) -> Void = { _ in }) {
    outcomes.update { outcomes in
      let key = task.taskIdentifier
      if let call, outcomes[key]?.calls.last != call { outcomes[key, default: LoadOutcome()].calls.append(call) }
      change(&outcomes[key, default: LoadOutcome()])
    }
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    isInvalid.update { $0 = true }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    record(task, "completion") {
      $0.error = error
      $0.completions += 1
      $0.response = $0.response ?? task.response
      $0.countOfBytesReceived = task.countOfBytesReceived
      $0.countOfBytesSent = task.countOfBytesSent
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    record(task) { $0.sent.append([bytesSent, totalBytesSent, totalBytesExpectedToSend]) }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    record(dataTask, "response") { $0.response = response }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    hold?.block()
    record(dataTask, "data") { $0.body.append(data) }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {
    let body = try? Data(contentsOf: location)
    record(downloadTask, "file") { $0.body = body ?? Data() }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
    expectedTotalBytes: Int64
  ) {
    record(downloadTask) { $0.resumedAt.append(fileOffset) }
  }

  // MARK: Questions

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    // Every TLS connection asks, which says nothing about the class.
    guard challenge.protectionSpace.serverTrust == nil else { return completionHandler(.performDefaultHandling, nil) }
    let challenger = Challenger(challenge.protectionSpace)
    let answer = answers.challenge(questions.value.challengeCounts[challenger] ?? 0)
    record({ $0.challenges.append((challenge.protectionSpace, challenge.previousFailureCount)) }) {
      completionHandler(answer.disposition, answer.credential)
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    let isFollowed = answers.followsRedirects
    record({ $0.redirects.append((response, request)) }) { completionHandler(isFollowed ? request : nil) }
  }

  /// Answers what waits for an answer.
  func answerDeferredQuestions() {
    let deferred = questions.update { questions in
      defer { questions.deferred = [] }
      return questions.deferred
    }
    for answer in deferred { answer() }
  }

  private func record(_ change: (inout DelegateQuestions) -> Void, answer: @escaping @Sendable () -> Void) {
    let isDeferred = answers.areDeferred
    questions.update { questions in
      if isDeferred { questions.deferred.append(answer) }
      change(&questions)
    }
    if !isDeferred { answer() }
  }
}
