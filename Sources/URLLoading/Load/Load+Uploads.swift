internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

/// Resumes uploads after an interruption; `ResumableUpload` decides.
///
/// Its requests are attempts of the load, so that redirects, challenges, cookies and the network are dealt with as always.
extension Load {
  // MARK: Beginning

  /// Invites the server of an upload to make it resumable.
  func inviteResumption(in request: inout URLRequest, _ source: UploadSource, class chosen: URLProtocol.Type) {
    guard plan.kind == .upload, read({ $0.uploads.isBeginning }) else { return }
    // A redirect may have brought the fields of the attempt before.
    if update({ $0.uploads.withdraw() }) { UploadRequests.withdraw(&request) }
    guard chosen.capabilities.contains(.resumableUploads), request.urlFacts.isHTTP else { return }
    let expected = source.expectedLength(of: request)
    let length = expected < 0 ? nil : expected
    var first = request
    guard UploadRequests.invite(&request, length: length) else { return }
    first.httpBody = nil
    first.httpBodyStream = nil
    let body = UploadBody(source)
    update { state in
      state.attempt.cookies.withdraw(from: &first)
      state.uploads.invite(UploadLoad(machine: ResumableUpload(length: length), body: body, request: first))
    }
  }

  /// Begins with an upload that an earlier task has left.
  func resumeUpload(_ resumption: UploadResumeData) {
    if let expiry = resumption.expiry, expiry <= Date() {
      return abort(
        failure(
          .resourceUnavailable, "The upload cannot be resumed: the server was to keep it until \(expiry). Upload anew.")
      )
    }
    if let reason = resumption.body.failure { return abort(failure(reason.code, "\(reason.words).")) }
    var request = plan.request
    // Only the first request of a load gets the fields of the session, and this upload has had its first one in an earlier task.
    session.addHeaders(to: &request)
    UploadRequests.lead(&request, to: resumption.url)
    let machine = ResumableUpload(
      length: resumption.length, resource: resumption.resource, acknowledged: resumption.acknowledged,
      expiry: resumption.expiry)
    let upload = UploadLoad(machine: machine, body: resumption.body, request: request)
    let attempt = update { state in
      state.uploads.resume(upload)
      return state.machine.attempt
    }
    guard WebOrigin(resumption.url) != WebOrigin(resumption.resource) else { return askForOffset(attempt: attempt) }
    // The delegate of this task has not been asked, and somebody may have edited the resume data.
    let announcement = HTTPURLResponse(
      url: resumption.url, statusCode: 104, httpVersion: "HTTP/1.1",
      fields: [("Location", resumption.resource.absoluteString)], isReceived: false)
    askLeave(to: resumption.resource, namedBy: announcement, attempt: attempt) { mayGo in
      self.replayRetainedEvents(attempt: attempt)
      guard !mayGo else { return self.askForOffset(attempt: attempt) }
      let place = resumption.resource.redactedDescription
      self.abort(
        self.failure(
          .resourceUnavailable,
          "The upload cannot be resumed: it is at \(place), another origin, and the delegate has not allowed that."))
    }
  }

  // MARK: Events of the instance

  /// An interim response came.
  /// - Returns: a resource of another origin, which the delegate is to be asked about.
  func announcedUpload(_ response: HTTPURLResponse, attempt: Int, isReplay: Bool = false) -> URL? {
    guard response.statusCode == 104, let url = response.url else { return nil }
    let answer = UploadAnswer(response)
    var foreign: URL?
    feed(attempt, isReplay: isReplay) { machine, _ in
      let action = machine.announced(answer, by: url, at: Date())
      if case .askLeave(let resource) = action { foreign = resource }
      return action
    }
    return foreign
  }

  /// Asks the delegate about a resource that an interim response has announced.
  func askLeave(to foreign: URL, announcedBy response: HTTPURLResponse, attempt: Int) {
    askLeave(to: foreign, namedBy: response, attempt: attempt) { mayGo in
      if mayGo { _ = self.announcedUpload(response, attempt: attempt, isReplay: true) }
      self.replayRetainedEvents(attempt: attempt)
    }
  }

  /// A final response came.
  /// - Returns: whether the upload has consumed it, so that the task does not get it.
  func tookForUpload(_ response: URLResponse, attempt: Int, isReplay: Bool) -> Bool {
    guard plan.kind == .upload, let response = response as? HTTPURLResponse else { return false }
    let answer = UploadAnswer(response)
    return feed(attempt, isReplay: isReplay) { machine, counts in
      machine.responded(answer, isWhole: counts.sent == machine.length, at: Date())
    }
  }

  /// The instance failed.
  /// - Returns: whether the load continues.
  func failedForUpload(_ error: any Error, attempt: Int, isReplay: Bool) -> Bool {
    guard plan.kind == .upload, let code = (error as? URLError)?.code, Self.interruptions.contains(code) else {
      return false
    }
    return feed(attempt, isReplay: isReplay, interruption: error) { machine, _ in machine.interrupted(at: Date()) }
  }

  /// Failures that lie between client and server.
  private static let interruptions: Set<URLError.Code> = [
    .networkConnectionLost, .notConnectedToInternet, .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .timedOut,
  ]

  /// Feeds the machine if the load accepts events of the attempt, and carries out its action.
  /// - Returns: whether the attempt is over.
  @discardableResult
  private func feed(
    _ attempt: Int, isReplay: Bool = false, interruption: (any Error)? = nil,
    _ event: (inout ResumableUpload, ByteCounts) -> ResumableUpload.Action
  ) -> Bool {
    let now = MonotonicInstant.now
    let (action, number) = update { state -> (ResumableUpload.Action, Int) in
      let counts = state.counts
      var uploads = state.uploads
      guard state.machine.opens(attempt: attempt, isReplay: isReplay),
        let action = uploads.feed(interruption: interruption, { event(&$0, counts) })
      else { return (.proceed, attempt) }
      switch action {
      case .proceed, .askLeave, .fail: break
      case .ask, .append:
        guard state.machine.replaced(attempt: attempt, at: now) else { return (.proceed, attempt) }
        state.stopInstance()
        state.attempt = Attempt(request: uploads.resumable?.request)
        uploads.replace(with: .none)
      }
      state.uploads = uploads
      return (action, state.machine.attempt)
    }
    switch action {
    case .proceed, .askLeave: return false
    case .ask(let delay): ask(after: delay, attempt: number)
    case .append(let part): append(part, attempt: number)
    case .fail(let failure): fail(failure)
    }
    return true
  }

  // MARK: Requests

  private func ask(after delay: Duration, attempt: Int) {
    guard delay > .zero else { return askForOffset(attempt: attempt) }
    waiting(true, attempt: attempt)
    update { state in
      guard state.machine.opens(attempt: attempt), state.ending.error == nil else { return }
      var network = NetworkWait()
      // A change of the network is a good moment, too.
      network.begin(atMost: delay) { [weak self] in
        self?.waiting(false, attempt: attempt)
        self?.askForOffset(attempt: attempt)
      }
      state.attempt.network = network
    }
  }

  private func askForOffset(attempt: Int) {
    let upload = read { $0.machine.opens(attempt: attempt) ? $0.uploads.resumable : nil }
    if let request = upload?.offsetRequest { open(request, for: .resumption) }
  }

  private func append(_ part: ResumableUpload.Part, attempt: Int) {
    guard let upload = read({ $0.uploads.resumable }), let request = upload.request(for: part) else { return }
    if let reason = upload.body.failure {
      return abort(failure(reason.code, "\(reason.words).", underlying: upload.interruption))
    }
    if let source = upload.body.source(of: part) {
      return send(source, part, by: request, attempt: attempt)
    }
    decide(awaiting: { bodyStream(of: part, $0) }, stopping: attempt) { (stream: InputStream?) in
      guard let stream else {
        return self.abort(
          self.failure(
            .requestBodyStreamExhausted,
            "The upload goes on from byte \(part.offset), and the delegate has no stream from there (needNewBodyStreamFrom)."
          ))
      }
      self.send(.stream(stream), part, by: request, attempt: attempt)
    }
  }

  private func send(_ source: UploadSource, _ part: ResumableUpload.Part, by request: URLRequest, attempt: Int) {
    var request = request
    let isDue = update { state in
      guard state.machine.opens(attempt: attempt) else { return false }
      state.uploads.send(source, from: part.offset)
      state.counts.sendsAnew(from: part.offset)
      return true
    }
    guard isDue else { return }
    switch source {
    case .data(let data): request.setStreamableBody(data)
    case .stream(let stream): request.httpBodyStream = stream
    case .none, .file, .unsizedFile, .form: break
    }
    open(request, for: .resumption)
  }

  /// A stream for a part, of the file or of the delegate.
  func bodyStream(of part: ResumableUpload.Part, _ completionHandler: @escaping @Sendable (InputStream?) -> Void) {
    let (upload, delegate, task, delivery) = read { ($0.uploads.resumable, $0.delegates.task, $0.task, $0.delivery) }
    if case .stream(let stream) = upload?.body.source(of: part) { return completionHandler(stream) }
    guard let delegate, let task, let delivery else { return completionHandler(nil) }
    decide(
      asking: delegate, .bodyStreamFromOffset, by: delivery,
      { delegate, answer in
        delegate.urlSession(self.session, task: task, needNewBodyStreamFrom: part.offset) { answer(HandedStream($0)) }
      },
      then: { (stream: HandedStream) in completionHandler(stream.stream.map { UploadBody.limited($0, to: part) }) })
  }

  private func fail(_ failure: UploadFailure) {
    let upload = read { $0.uploads.resumable }
    if failure.cancelsUpload, let request = upload?.cancellation {
      // Fire-and-forget: its result is ignored.
      var plan = LoadPlan(request: request, kind: .data, owner: .handler { _, _, _ in })
      plan.addsSessionFields = false
      plan.isSentOnce = true
      session.data(plan).resume()
    }
    var words = failure.words
    if case .refused = failure.reason, let missing = plan.uploadResumption?.missing {
      words += ". The upload began with \(missing), which resume data does not hold"
    }
    abort(self.failure(failure.code, "\(words).", underlying: upload?.interruption))
  }

  // MARK: The end

  /// The error that an upload ends with: where it can be resumed, and that is wanted, with what is needed for it.
  func withUploadResumeData(_ error: any Error, of ended: Ended) -> any Error {
    guard ended.response == nil else { return error }
    // It was cancelled, and nobody asked.
    if ended.resumeDataHandler == nil, (error as? URLError)?.code == .cancelled { return error }
    guard let data = uploadResumeData() else { return error }
    let nsError = error as NSError
    var info = nsError.userInfo
    info[NSURLSessionUploadTaskResumeData] = data
    let extended = NSError(domain: nsError.domain, code: nsError.code, userInfo: info)
    return error is URLError ? URLError(_nsError: extended) : extended
  }

  private func uploadResumeData() -> Data? {
    guard let upload = read({ $0.uploads.resumable }) else {
      // It never began: what the task was made with is still good.
      return try? plan.uploadResumption?.serialized()
    }
    let made = upload.resumeData(for: plan.request, earlier: plan.uploadResumption, at: Date())
    return try? made?.serialized()
  }
}
