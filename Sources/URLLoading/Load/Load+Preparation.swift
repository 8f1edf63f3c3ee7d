internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

/// How a load is opened: the request is completed, a class is chosen, the cache is asked, an instance starts.
extension Load {
  enum AttemptReason: Equatable {
    /// The task was resumed.
    case first
    /// A redirect is followed; trusted where the delegate named another URL than the server.
    case redirect(isTrusted: Bool)
    /// A resumed download starts over, and asks for the whole.
    case restart
    /// The attempt before could not connect.
    case reconnection
    /// An upload is resumed.
    case resumption
  }

  /// Begins an attempt. User-provided classes may take time to say whether they load the request, or which cookies it gets: after a redirect
  /// they are asked on a thread of a pool, since this may be the transfer loop.
  /// - Parameter earlier: the attempt before, where the load's is another one by now.
  func open(
    _ request: consuming URLRequest, for reason: AttemptReason = .first, mayBlock: Bool = false,
    after earlier: Attempt? = nil
  ) {
    if plan.background != nil { return openInService(request) }
    if reason != .first, !mayBlock, asksUserCode {
      return BlockingPool.protocols.run { [request] in self.open(request, for: reason, mayBlock: true) }
    }
    var prepared = request
    session.parts.requestDefaults?.apply(to: &prepared)
    duplex?.prepare(&prepared)
    // Here the program's thread waits for the file, and later, where a response sets cookies, the transfer loop need not.
    if reason == .first { session.values.httpCookieStorage?.load() }
    let start: AttemptStart?
    if let storage = subclassedCookieStorage(for: prepared) {
      start = prepare(prepared, withCookiesOf: storage, for: reason, after: earlier)
    } else {
      let cookies = addCookies(to: &prepared)
      start = prepare(prepared, cookies, for: reason, after: earlier)
    }
    update { $0.begin(start) }
  }

  private var asksUserCode: Bool {
    session.parts.hasSubclassedCookieStorage || session.values.urlCache?.isSubclassed == true
      || !ProtocolRegistry.shared.custom(of: session.values.protocolClasses).isEmpty
  }

  /// Asks a storage of the program's own by the method that takes a task, as Apple's system does.
  private func prepare(
    _ request: URLRequest, withCookiesOf storage: HTTPCookieStorage, for reason: AttemptReason, after earlier: Attempt?
  ) -> AttemptStart? {
    let (task, previous, attempt) = update { state in
      let previous = earlier ?? state.attempt
      // The storage looks at the task's current request.
      state.attempt.request = request
      return (state.task, previous, state.machine.attempt)
    }
    guard let task else { return nil }
    return decide(awaiting: { storage.getCookiesFor(task, completionHandler: $0) }, stopping: attempt) { cookies in
      guard self.read({ $0.machine.attempt == attempt }) else { return nil }
      var prepared = request
      let field = cookies.flatMap { $0.isEmpty ? nil : HTTPCookie.field(for: $0) }
      if let field { prepared.setCookies(field) }
      return self.prepare(prepared, CookieStage(added: field?.text), for: reason, after: previous)
    }
  }

  /// Makes the attempt, and chooses its class.
  /// - Parameter earlier: the attempt before, where the load's is another one by now.
  /// - Returns: nil where the load has failed, or where another attempt begins, now or later.
  private func prepare(
    _ request: consuming URLRequest, _ cookies: CookieStage, for reason: AttemptReason, after earlier: Attempt? = nil
  ) -> AttemptStart? {
    var prepared = request
    let network = session.values.waitsForConnectivity ? NetworkWait() : nil
    if reason == .first {
      if plan.addsSessionFields { session.addHeaders(to: &prepared) }
      guard addBody(to: &prepared) else { return nil }
    } else {
      renewBody(of: &prepared)
    }
    let (task, previous, upload, number) = update { state in
      let replaced = exchange(&state.attempt, with: Attempt(request: prepared, cookies: cookies))
      state.attempt.network = network
      return (state.task, earlier ?? replaced, state.uploads.source, state.machine.attempt)
    }
    guard let task, let chosen = chooseClass(for: task, prepared, after: previous, reason: reason) else { return nil }
    if let secured = securedRequest(for: prepared, class: chosen, removing: cookies) {
      recordUpgrade(of: prepared, to: secured, class: chosen)
      open(secured, for: reason, mayBlock: true, after: previous)
      return nil
    }
    var canonical = chosen.canonicalRequest(for: prepared)
    events?.report(.chose(chosen, canonical))
    let error =
      violation(of: canonical, class: chosen)
      ?? settleMethod(of: &canonical, upload, class: chosen)?.error(canonical.url)
    if let error {
      abort(error)
      return nil
    }
    inviteResumption(in: &canonical, upload, class: chosen)
    let offset = addRange(to: &canonical, class: chosen)
    if !canonical.isSame(as: prepared) { update { $0.attempt.request = canonical } }
    return lookUp(PreparedAttempt(request: canonical, protocolClass: chosen, rangeOffset: offset, attempt: number))
  }

  /// The class that loads a request; nil when there is none that may, and the load has failed.
  private func chooseClass(
    for task: URLSessionTask, _ request: URLRequest, after previous: Attempt, reason: AttemptReason
  ) -> URLProtocol.Type? {
    // It was chosen before, and asked whether a redirect may lead to it.
    if reason == .reconnection, let chosen = previous.protocolClass { return chosen }
    let (configured, origin) = (session.values.protocolClasses, reason == .first ? nil : previous.request?.url)
    guard let chosen = ProtocolRegistry.shared.protocolClass(for: task, loading: request, configured: configured)
    else {
      abort(ProtocolRegistry.shared.unsupported(request.url, configured: configured, redirectedFrom: origin))
      return nil
    }
    if reason == .redirect(isTrusted: false), let before = previous.protocolClass, chosen != before,
      !chosen.capabilities.contains(.acceptsRedirects)
    {
      abort(RefusedRequest(redirectFrom: origin, to: request.url).error(request.url))
      return nil
    }
    if plan.kind.isDuplex, !chosen.capabilities.contains(.duplex) {
      abort(ProtocolRegistry.shared.lacksDuplex(request.url, configured: configured))
      return nil
    }
    if plan.kind == .listing, !chosen.capabilities.contains(.listing) {
      abort(ProtocolRegistry.shared.unlistable(request.url, configured: configured))
      return nil
    }
    return chosen
  }

  /// The storage that a request gets cookies of, unless it brings its own.
  private func cookieStorage(for request: borrowing URLRequest) -> HTTPCookieStorage? {
    guard session.values.httpShouldSetCookies, request.httpShouldHandleCookies,
      let storage = session.values.httpCookieStorage, request.value(forHTTPHeaderField: "Cookie") == nil
    else { return nil }
    return storage
  }

  /// The storage if it is a subclass, whose methods may block.
  private func subclassedCookieStorage(for request: borrowing URLRequest) -> HTTPCookieStorage? {
    guard session.parts.hasSubclassedCookieStorage, request.urlFacts.hasHost else { return nil }
    return cookieStorage(for: request)
  }

  /// Gives a request the cookies of the storage.
  private func addCookies(to request: inout URLRequest) -> CookieStage {
    guard let storage = cookieStorage(for: request), let url = request.url,
      let cookies = storage.cookieField(
        for: url, mainDocumentURL: request.mainDocumentURL, partition: request.cookiePartitionIdentifier)
    else { return CookieStage() }
    request.setCookies(cookies)
    return CookieStage(added: cookies.text)
  }

  /// The task's request gets the cookies that a challenge has set: the instance takes them over when it sends the request again. A storage
  /// of the program's own is asked when an attempt begins, and not here.
  func renewCookies(attempt: Int) {
    guard !session.parts.hasSubclassedCookieStorage else { return }
    let (sent, cookies) = read { ($0.attempt.request, $0.attempt.cookies) }
    guard var request = sent, cookies.mayRenew(request) else { return }
    cookies.withdraw(from: &request)
    let renewed = addCookies(to: &request)
    guard renewed != cookies else { return }
    update { state in
      guard state.machine.attempt == attempt else { return }
      state.attempt.request = request
      state.attempt.cookies = renewed
    }
  }

  /// An upload without a method of its own stores where the class knows how to.
  /// - Returns: why the class does not get the request.
  private func settleMethod(
    of request: inout URLRequest, _ upload: UploadSource, class chosen: URLProtocol.Type
  ) -> RefusedRequest? {
    let accepted = chosen.capabilities.acceptedHTTPMethods
    let payload: RefusedRequest.Payload
    switch upload {
    case .none: payload = .none
    case .data(let data): payload = data.isEmpty ? .empty : .some
    case .file, .unsizedFile, .form, .stream: payload = .some
    }
    // The common case: a class that takes every method, and nothing to send.
    if accepted == nil, payload == .none { return nil }
    if plan.kind == .upload, request.explicitMethod == nil, accepted?.contains("PUT") == true {
      request.httpMethod = "PUT"
    }
    return RefusedRequest(
      method: request.httpMethod ?? "GET", payload: payload, isListing: plan.kind == .listing,
      scheme: request.url?.scheme ?? "", accepted: accepted)
  }

  /// Puts the task's upload body into the request, where protocol classes see it.
  private func addBody(to request: inout URLRequest) -> Bool {
    // A task without a body never gets one.
    if case .none = plan.upload { return true }
    switch read({ $0.uploads.source }) {
    case .none: return true
    case .data(let data):
      request.setStreamableBody(data)
    case .file(let url):
      guard UploadSource.length(ofFile: url) != nil else {
        abort(failure(.fileDoesNotExist, "The file to upload cannot be read: \(url.path)."))
        return false
      }
      guard !UploadSource.lacksLength(url) else {
        openWithContents(of: url)
        return false
      }
      request.httpBodyStream = DescriptorInputStream(file: url.path)
    case .unsizedFile(let url): request.httpBodyStream = DescriptorInputStream(file: url.path)
    case .form(let form): request.httpBodyStream = form.makeInputStream()
    case .stream(let stream?):
      request.httpBodyStream = stream
    case .stream(nil):
      openWithStreamOfDelegate()
      return false
    }
    return true
  }

  /// Puts a stream into the request of a later attempt that those before have not read.
  private func renewBody(of request: inout URLRequest) {
    switch read({ $0.uploads.source }) {
    case .none, .stream: break
    case .data(let data): request.setStreamableBody(data)
    case .file(let url), .unsizedFile(let url): request.httpBodyStream = DescriptorInputStream(file: url.path)
    case .form(let form): request.httpBodyStream = form.makeInputStream()
    }
  }

  /// Begins with all that is in a file whose size says nothing: what is short is sent with its length, which HTTP/1.0 needs; more is read as
  /// it is sent.
  private func openWithContents(of url: URL) {
    decide(
      awaiting: { answer in
        BlockingPool.engines.run { answer(Result { try UnsizedFile.contents(of: url.path) }) }
      }, stopping: read { $0.machine.attempt },
      then: { (contents: Result<Data?, any Error>) in
        switch contents {
        case .success(let data): self.update { $0.uploads.replace(with: data.map { .data($0) } ?? .unsizedFile(url)) }
        case .failure(let error):
          let words = "The file to upload cannot be read: \(url.path): \(error.localizedDescription)."
          return self.abort(self.failure(.cannotOpenFile, words))
        }
        self.open(self.plan.request)
      })
  }

  private func openWithStreamOfDelegate() {
    decide(awaiting: { requestBodyStream($0) }, stopping: read { $0.machine.attempt }) { (stream: InputStream?) in
      guard let stream else {
        return self.abort(
          self.failure(.requestBodyStreamExhausted, "The delegate has no stream for the body of a streamed upload."))
      }
      self.update { $0.uploads.replace(with: .stream(stream)) }
      self.open(self.plan.request)
    }
  }

  // MARK: The upload body

  /// The body for the protocol instance.
  func uploadBody(attempt: Int) -> URLUploadBody? {
    update { state in
      guard state.machine.attempt == attempt, let request = state.attempt.request else { return nil }
      switch state.uploads.handOn() {
      case .none: return nil
      case .data(let data): return .data(data)
      case .file(let url): return .file(url, length: UploadSource.length(ofFile: url) ?? 0)
      case .unsizedFile(let url): return .stream(DescriptorInputStream(file: url.path), length: nil)
      case .form(let form): return .stream(form.makeInputStream(), length: form.length)
      case .stream(let stream): return stream.map { .stream($0, length: UploadSource.declaredLength(of: request)) }
      }
    }
  }

  /// The instance must send its stream again.
  func needsNewBodyStream(attempt: Int, _ completionHandler: @escaping @Sendable (InputStream?) -> Void) {
    guard read({ $0.machine.attempt == attempt }) else { return completionHandler(nil) }
    requestBodyStream(completionHandler)
  }

  /// Asks the delegate for a stream.
  func requestBodyStream(_ completionHandler: @escaping @Sendable (InputStream?) -> Void) {
    if let part = read({ $0.uploads.resumable?.machine.part }) { return bodyStream(of: part, completionHandler) }
    switch read({ $0.uploads.source }) {
    case .form(let form): return completionHandler(form.makeInputStream())
    case .unsizedFile(let url): return completionHandler(DescriptorInputStream(file: url.path))
    default: break
    }
    let (delegate, task, delivery) = read { ($0.delegates.task, $0.task, $0.delivery) }
    guard let delegate, let task, let delivery else { return completionHandler(nil) }
    decide(
      asking: delegate, .bodyStream, by: delivery,
      { delegate, answer in
        delegate.urlSession(self.session, task: task, needNewBodyStream: { answer(HandedStream($0)) })
      },
      then: { (stream: HandedStream) in completionHandler(stream.stream) })
  }
}
