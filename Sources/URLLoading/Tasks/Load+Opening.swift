/// How an attempt begins: the request is completed, a class is chosen, an instance of it starts.
extension Load {
  /// Begins the first attempt, or the next one after a redirect.
  func open(_ request: URLRequest, isRedirect: Bool = false, isTrusted: Bool = false) {
    // Foreign classes are asked whether they load the request; that may take its time, so not on a thread that others wait for.
    let custom = isRedirect ? ProtocolRegistry.shared.custom(of: session.values.protocolClasses) : []
    guard custom.isEmpty else {
      return BlockingPool.protocols.run { self.choose(request, isRedirect: isRedirect, isTrusted: isTrusted) }
    }
    choose(request, isRedirect: isRedirect, isTrusted: isTrusted)
  }

  private func choose(_ request: consuming URLRequest, isRedirect: Bool, isTrusted: Bool) {
    var prepared = request
    prepared.isListing = plan.kind == .listing
    let jarCookies = addCookies(to: &prepared)
    if isRedirect {
      renewBody(of: &prepared)
    } else {
      for field in session.additionalHeaders where prepared.value(forHTTPHeaderField: field.name) == nil {
        prepared.setValue(field.value, forHTTPHeaderField: field.name)
      }
      guard addBody(to: &prepared) else { return }
    }
    let (task, previous, origin, upload, attempt) = update { state in
      let origin = isRedirect ? state.currentRequest?.url : nil
      state.currentRequest = prepared
      state.jarCookies = jarCookies
      return (state.task, state.protocolClass, origin, state.upload, state.machine.attempt)
    }
    guard let task else { return }
    let configured = session.values.protocolClasses
    guard let chosen = ProtocolRegistry.shared.protocolClass(for: task, loading: prepared, configured: configured)
    else {
      return abort(
        ProtocolRegistry.shared.unsupported(prepared.url, configured: configured, redirectedFrom: origin))
    }
    if isRedirect, !isTrusted, let previous, chosen != previous, !chosen.capabilities.contains(.acceptsRedirects) {
      return abort(RefusedRequest(redirectFrom: origin, to: prepared.url).error(prepared.url))
    }
    if plan.kind == .listing, !chosen.capabilities.contains(.listing) {
      return abort(ProtocolRegistry.shared.unlistable(prepared.url, configured: configured))
    }
    var canonical = chosen.canonicalRequest(for: prepared)
    canonical.isListing = prepared.isListing
    if let refusal = settleMethod(of: &canonical, upload, class: chosen) {
      return abort(refusal.error(canonical.url))
    }
    let offset = addRange(to: &canonical, class: chosen)
    if !canonical.isSame(as: prepared) {
      update { state in
        state.currentRequest = canonical
        state.resumeOffset = offset
      }
    }
    let blocks = ProtocolDriver.blocks(chosen)
    let client = LoadClient(load: self, attempt: attempt, mayWait: blocks)
    let instance = chosen.init(task: task, cachedResponse: nil, client: client)
    if instance.task == nil { instance.task = task }
    let driver = ProtocolDriver(instance, blocks: blocks)
    update { state in
      // A cancel may have come meanwhile; then the instance is never started.
      guard state.machine.attempt == attempt, state.machine.state == .running || state.machine.state == .suspended,
        state.error == nil
      else { return }
      state.protocolClass = chosen
      state.resumeOffset = offset
      state.metrics.beginTransaction(canonical)
      state.use(driver)
    }
  }

  /// Gives a request the cookies of the storage, unless it brings its own.
  /// - Returns: what was added.
  private func addCookies(to request: inout URLRequest) -> String? {
    guard session.values.httpShouldSetCookies, request.httpShouldHandleCookies,
      let storage = session.values.httpCookieStorage,
      let url = request.url, request.value(forHTTPHeaderField: "Cookie") == nil,
      let cookies = storage.cookieHeader(for: url, mainDocumentURL: request.mainDocumentURL)
    else { return nil }
    request.setValue(cookies, forHTTPHeaderField: "Cookie")
    return cookies
  }

  /// An upload without a method of its own stores where the class knows how to.
  /// - Returns: why the class does not get the request.
  private func settleMethod(
    of request: inout URLRequest, _ upload: UploadSource, class chosen: URLProtocol.Type
  ) -> RefusedRequest? {
    let accepted = chosen.acceptedHTTPMethods
    let payload: RefusedRequest.Payload
    switch upload {
    case .none: payload = .none
    case .data(let data): payload = data.isEmpty ? .empty : .some
    case .file, .stream: payload = .some
    }
    // The common case: a class that takes every method, and nothing to send.
    if accepted == nil, payload == .none { return nil }
    if plan.kind == .upload, request.explicitMethod == nil, accepted?.contains("PUT") == true {
      request.httpMethod = "PUT"
    }
    return RefusedRequest(
      method: request.httpMethod ?? "GET", payload: payload, isListing: request.isListing,
      scheme: request.url?.scheme ?? "", accepted: accepted)
  }

  /// Puts the task's upload body into the request, where protocol classes see it.
  private func addBody(to request: inout URLRequest) -> Bool {
    // A task without a body never gets one.
    if case .none = plan.upload { return true }
    switch read({ $0.upload }) {
    case .none: return true
    case .data(let data):
      request.setStreamableBody(data)
    case .file(let url):
      guard UploadSource.length(ofFile: url) != nil else {
        abort(failure(.fileDoesNotExist, "The file to upload cannot be read: \(url.path)."))
        return false
      }
      request.httpBodyStream = FileInputStream(path: url.path)
    case .stream(let stream?):
      request.httpBodyStream = stream
    case .stream(nil):
      openWithStreamOfDelegate()
      return false
    }
    return true
  }

  /// Puts a stream into a redirect's request that the attempt before has not read.
  private func renewBody(of request: inout URLRequest) {
    switch read({ $0.upload }) {
    case .none, .stream: break
    case .data(let data): request.setStreamableBody(data)
    case .file(let url): request.httpBodyStream = InputStream(url: url)
    }
  }

  private func openWithStreamOfDelegate() {
    let attempt = read { $0.machine.attempt }
    waiting(true, attempt: attempt)
    requestBodyStream { stream in
      self.waiting(false, attempt: attempt)
      guard let stream else {
        return self.abort(
          self.failure(.requestBodyStreamExhausted, "The delegate has no stream for the body of a streamed upload."))
      }
      self.update { $0.upload = .stream(stream) }
      self.open(self.plan.request)
    }
  }

  // MARK: The upload body

  /// The body for the protocol instance.
  func uploadBody(attempt: Int) -> URLUploadBody? {
    update { state in
      guard state.machine.attempt == attempt, let request = state.currentRequest else { return nil }
      switch state.upload {
      case .none: return nil
      case .data(let data): return .data(data)
      case .file(let url): return .file(url, length: UploadSource.length(ofFile: url) ?? 0)
      case .stream(let stream):
        state.uploadIsUsedUp = true
        return stream.map { .stream($0, length: UploadSource.declaredLength(of: request)) }
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
    let (delegate, task, delivery) = read { ($0.delegates.task, $0.task, $0.delivery) }
    guard let delegate, let task, let delivery else { return completionHandler(nil) }
    delivery.addGate(
      ask: { answer in
        delegate.ask(
          .bodyStream,
          { delegate, take in
            delegate.urlSession(self.session, task: task, needNewBodyStream: { take(UncheckedStream($0)) })
          }, answer: answer)
      },
      then: { (stream: UncheckedStream) in completionHandler(stream.stream) })
  }
}

/// A stream on its way from the delegate to the one instance that reads it.
// Safe to share: handed over, never used by two.
private struct UncheckedStream: @unchecked Sendable {
  let stream: InputStream?

  init(_ stream: InputStream?) {
    self.stream = stream
  }
}
