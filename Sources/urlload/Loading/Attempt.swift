import URLLoading
internal import URLLoadingBase

/// One attempt to load a URL: the delegate of one task.
///
/// Mutable state: `state`, guarded by its lock. The output is used on the session's delegate queue alone while the attempt runs.
final class Attempt: NSObject, URLSessionDataDelegate, Sendable {
  /// How the attempt ended.
  struct Outcome {
    var response: URLResponse?
    var error: (any Error)?
    var verdict: ResponseVerdict?
    var metrics: URLSessionTaskMetrics?
    /// The request that came last, after redirects.
    var request: URLRequest?
  }

  private struct State {
    var response: URLResponse?
    var verdict: ResponseVerdict?
    var failure: Failure?
    /// Bytes of the part that have not come; nil where it is no part.
    var missing: Int64?
    var isSatisfied = false
    var metrics: URLSessionTaskMetrics?
    /// The heads of redirects, for the output.
    var heads = Data()
    var ended: CheckedContinuation<Outcome, Never>?
  }

  private let state = Locked(State())
  private let options: LoadOptions
  private let output: any Output
  private let status: LoadStatus
  private let console: Console
  private let situation: ResponseVerdict.Situation
  private let heads: HeadFile?
  private let input: InputStatus

  init(
    output: any Output, status: LoadStatus, console: Console, situation: ResponseVerdict.Situation, heads: HeadFile?,
    input: InputStatus
  ) {
    self.input = input
    options = situation.options
    self.heads = heads
    self.output = output
    self.status = status
    self.console = console
    self.situation = situation
  }

  func run(_ request: URLRequest, in session: URLSession) async -> Outcome {
    let task = make(request, in: session)
    task.delegate = self
    return await withCheckedContinuation { continuation in
      state.withLock { $0.ended = continuation }
      task.resume()
    }
  }

  private func make(_ request: URLRequest, in session: URLSession) -> URLSessionTask {
    switch options.body {
    case .form(let form): return session.uploadTask(with: request, from: form)
    case .file(let path):
      return session.uploadTask(with: request, fromFile: URL(fileURLWithPath: path))
    case .stream(let source):
      var streamed = request
      streamed.httpBodyStream = source.stream(input)
      return session.uploadTask(withStreamedRequest: streamed)
    case .data, nil: return session.dataTask(with: request)
    }
  }

  // MARK: Response and body

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    let verdict = ResponseVerdict(response, situation)
    state.withLock { ($0.response, $0.verdict, $0.missing) = (response, verdict, nil) }
    do {
      switch verdict {
      case .refuse, .retry, .restart: return completionHandler(.cancel)
      case .leave:
        // Nothing is written, so that a file stays as it is.
        try heads?.write(HeadText.data(of: response))
        return completionHandler(.allow)
      case .unwanted:
        if output.isFile { try heads?.write(HeadText.data(of: response)) } else { try write(head: response) }
        state.withLock { $0.isSatisfied = true }
        return completionHandler(.cancel)
      case .write(let length), .overwrite(let length):
        if verdict.overwrites { try output.restart() }
        state.withLock { $0.missing = length }
      }
      try begin(response, dataTask.currentRequest)
    } catch {
      state.withLock { $0.failure = error }
      return completionHandler(.cancel)
    }
    // Schemes other than HTTP have no HEAD: the load is cancelled at its response.
    let isEnough = options.headOnly && !(response is HTTPURLResponse)
    if isEnough { state.withLock { $0.isSatisfied = true } }
    completionHandler(isEnough ? .cancel : .allow)
  }

  private func begin(_ response: URLResponse, _ request: URLRequest?) throws(Failure) {
    let continues = situation.isResumption && state.withLock { $0.verdict?.overwrites != true }
    // Behind heads positions are not the resource's.
    let isPart = request?.value(forHTTPHeaderField: "Range") != nil
    try output.begin(
      response, of: situation.url,
      continues || options.report.includesHeads ? nil : Resumption(response, isPart: isPart))
    try write(head: response)
    try judge(size: response.expectedContentLength)
    let total = response.expectedContentLength
    let done = output.count
    // More than can be counted is unknown: servers announce what they like.
    let (sum, overflows) = total.addingReportingOverflow(done)
    status.update { status in
      if let name = output.name { status.name = name }
      if options.body == nil || total > 0 { status.done = done }
      status.total = total >= 0 && !overflows ? sum : nil
    }
  }

  /// Writes the head where it is wanted, those of redirects before it.
  private func write(head response: URLResponse) throws(Failure) {
    let wantsOutput = options.headOnly || options.report.includesHeads
    guard wantsOutput || heads != nil else { return }
    let head = HeadText.data(of: response)
    try heads?.write(head)
    let earlier = state.withLock { state in
      defer { state.heads = Data() }
      return state.heads
    }
    if wantsOutput { try output.write(earlier + head) }
  }

  /// Refuses more than `--max-filesize`.
  private func judge(size: Int64) throws(Failure) {
    guard let largest = options.largestSize, size > largest else { return }
    throw Failure(
      .broken, "there are more than \(largest) bytes", SafeText.url(situation.url),
      advice: "allow more with --max-filesize", keepsPart: false)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    guard !options.headOnly, state.withLock({ $0.failure == nil }) else { return }
    guard fits(Int64(data.count)) else { return dataTask.cancel() }
    do {
      try judge(size: output.count + Int64(data.count))
      try output.write(data)
      let done = output.count
      status.update { $0.done = done }
    } catch {
      state.withLock { $0.failure = error }
      dataTask.cancel()
    }
  }

  /// Counts bytes of a part.
  /// - Returns: false when the part has too many: then none can be trusted.
  private func fits(_ count: Int64) -> Bool {
    state.withLock { state in
      guard let missing = state.missing else { return true }
      state.missing = missing - count
      guard count > missing, let response = state.response else { return true }
      let failure = situation.overrunFailure(in: response)
      state.failure = failure
      state.verdict = situation.canRestart && situation.isResumption ? .restart(failure) : .refuse(failure)
      return false
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    status.update { status in
      status.done = totalBytesSent
      status.total = totalBytesExpectedToSend > 0 ? totalBytesExpectedToSend : nil
    }
  }

  // MARK: Challenges and redirects

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    LoginAnswer(options, console)
      .urlSession(session, task: task, didReceive: challenge, completionHandler: completionHandler)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    let isFollowed = options.followsRedirects
    if isFollowed, options.report.includesHeads || options.headOnly || heads != nil {
      let head = HeadText.data(of: response)
      // A file that cannot be written fails with the next head.
      try? heads?.write(head)
      state.withLock { $0.heads += head }
    }
    guard isFollowed else { return completionHandler(nil) }
    completionHandler(options.refersToRedirects ? Referrer.named(in: request, by: response) : request)
  }

  // MARK: End

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    state.withLock { $0.metrics = metrics }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let state = state.withLock { state in
      defer { state.ended = nil }
      return state
    }
    let error = state.isSatisfied ? nil : state.failure ?? error ?? truncationError(state)
    state.ended?.resume(
      returning: Outcome(
        response: state.response, error: error, verdict: state.verdict, metrics: state.metrics,
        request: task.currentRequest))
  }

  /// The error for a part that ended early.
  private func truncationError(_ state: State) -> URLError? {
    guard let missing = state.missing, missing > 0, !options.headOnly else { return nil }
    return URLError(
      .networkConnectionLost, message: "the answer ended \(missing) bytes before the end of its range",
      url: state.response?.url)
  }
}
