internal import URLLoadingBase

/// The body of a load's requests: where that of the next one comes from, and the resumable upload that it may be a part of.
struct UploadStage: Sendable {
  /// Where the body of the next request comes from.
  private(set) var source: UploadSource
  /// An instance has been given the stream.
  private var isUsedUp = false
  /// Nil where the server is not asked to make an upload resumable.
  @Boxed private(set) var resumable: UploadLoad?

  init(_ source: UploadSource) {
    self.source = source
  }

  // MARK: The body

  /// The next request gets another body.
  mutating func replace(with source: UploadSource) {
    self.source = source
    isUsedUp = false
  }

  /// The source of the body for an instance, which uses a stream up.
  mutating func handOn() -> UploadSource {
    if case .stream = source { isUsedUp = true }
    return source
  }

  /// A redirect is followed: its request says whether the body is sent again.
  /// - Parameter earlier: the request that was redirected.
  /// - Returns: whether that takes another stream, since this one was read.
  mutating func redirected(to request: URLRequest, from earlier: URLRequest?) -> Bool {
    switch UploadSource(of: request) {
    case .none: source = .none
    case .data(let data): source = .data(data)
    case .stream(let stream) where stream === earlier?.httpBodyStream:
      if case .stream = source { return isUsedUp }
    case .stream(let stream): replace(with: .stream(stream))
    case .file, .unsizedFile, .form: break
    }
    return false
  }

  /// The attempt is followed by another for the same request.
  /// - Returns: its stream, which may have been read: by an instance that was given it, or from the request.
  mutating func sendsAgain() -> HandedStream? {
    isUsedUp = false
    guard case .stream(let stream?) = source else { return nil }
    return HandedStream(stream)
  }

  /// Bytes that a request's body has; -1 when that is not known.
  func expectedLength(of request: URLRequest) -> Int64 {
    guard let resumable else { return source.expectedLength(of: request) }
    return resumable.length ?? -1
  }

  // MARK: The resumable upload

  /// Whether the request that is made is the first of the upload, and not one for its rest.
  var isBeginning: Bool { resumable?.machine.isCreating != false }

  /// Whether the server has named a resource for the upload, which goes on by that after a failure.
  var recoversByItself: Bool { resumable.map { !$0.machine.isCreating || $0.machine.resource != nil } ?? false }

  /// Where the body of the running request begins in the whole.
  var firstByte: Int64 { resumable?.firstByte ?? 0 }

  /// Whether the delegate is asked if the upload goes to another origin.
  var asksLeave: Bool { resumable?.asksLeave == true }

  /// The server is asked to make the upload resumable.
  mutating func invite(_ upload: UploadLoad) { resumable = upload }

  /// The server is not asked any more.
  /// - Returns: whether it was.
  mutating func withdraw() -> Bool { resumable.take() != nil }

  /// The upload of an earlier task goes on. Its first request, which asks where, has no body.
  mutating func resume(_ upload: UploadLoad) {
    resumable = upload
    source = .none
  }

  /// Feeds the upload's machine.
  /// - Parameter interruption: what went wrong, if that is the event.
  /// - Returns: nil without a resumable upload.
  mutating func feed(
    interruption: (any Error)?, _ event: (inout ResumableUpload) -> ResumableUpload.Action
  ) -> ResumableUpload.Action? {
    guard var upload = resumable else { return nil }
    let action = event(&upload.machine)
    if let interruption { upload.interruption = interruption }
    resumable = upload
    return action
  }

  /// A part of the body is sent.
  mutating func send(_ source: UploadSource, from offset: Int64) {
    replace(with: source)
    resumable?.firstByte = offset
  }

  /// The request is sent again, with a credential.
  mutating func restarted() { resumable?.machine.restarted() }

  // MARK: Another origin

  /// The delegate is asked whether the upload goes to another origin.
  mutating func askLeave() { resumable?.asksLeave = true }

  /// The delegate has answered, or is not asked any more.
  mutating func leaveIsDecided() { resumable?.asksLeave = false }

  /// The upload goes to a resource of another origin.
  /// - Parameter request: what leads there, as the delegate has it; nil where the upload stays.
  mutating func leave(to resource: URL, by request: URLRequest?) {
    guard let request, let place = request.url else {
      resumable?.machine.stay()
      return
    }
    resumable?.machine.allow(resource, at: place)
    resumable?.elsewhere = request
  }
}
