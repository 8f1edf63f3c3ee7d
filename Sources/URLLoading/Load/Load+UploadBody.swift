internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

/// The body of a request: put into it where an attempt begins, and given to the instance.
extension Load {
  /// An upload without a method of its own stores where the class knows how to.
  /// - Returns: why the class does not get the request.
  func settleMethod(
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
  /// - Returns: false where the load has failed, or where the body is known later.
  func addBody(to request: inout URLRequest, for reason: AttemptReason) -> Bool {
    guard reason == .first else {
      renewBody(of: &request)
      return true
    }
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

  // MARK: The instance

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
    if case .stream(let stream as PipedInputStream) = plan.upload { return stream.again(completionHandler) }
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
