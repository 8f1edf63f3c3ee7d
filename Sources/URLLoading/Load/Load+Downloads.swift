internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

/// Downloads that continue where an earlier one stopped, for every class that declares byte ranges.
extension Load {
  /// Asks for what the partial file of a resumed download lacks.
  /// - Returns: the offset that was asked for; nil when the whole is loaded.
  func addRange(to request: inout URLRequest, class protocolClass: URLProtocol.Type) -> Int64? {
    guard plan.isResumption else { return nil }
    let (resumption, sink) = read { ($0.resumption, $0.sink as? FileSink) }
    guard resumption.data != nil, let sink else { return nil }
    ResumptionStage.withdraw(from: &request)
    guard protocolClass.capabilities.contains(.byteRanges) else { return nil }
    return resumption.ask(&request) { sink.length > 0 ? sink.length : sink.reopen(URL(fileURLWithPath: $0)) ?? 0 }
  }

  /// Decides where in the file the body of a response belongs.
  /// - Returns: nil where the load has failed, or starts over.
  func placeBody(of response: URLResponse) -> Int64? {
    guard plan.isResumption else { return 0 }
    let (asked, resumption, sink, attempt) = read {
      ($0.attempt.rangeOffset, $0.resumption, $0.sink as? FileSink, $0.machine.attempt)
    }
    guard let sink else { return 0 }
    switch resumption.verdict(on: response, askedAt: asked) {
    case .continues(let range):
      do {
        try sink.continueAt(range.firstByte, length: range.length)
      } catch {
        abort(error)
        return nil
      }
      announceResume(at: range.firstByte, of: resumption.completeLength(of: range))
      return range.firstByte
    case .contradicts where asked != nil, .unsatisfiable where asked != nil:
      // The server cannot give that range, or gives one of another version: start again, and ask for the whole.
      startOver(attempt: attempt)
      return nil
    case .contradicts(let contradiction):
      abort(failure(.badServerResponse, "The answer cannot be used: \(contradiction)."))
      return nil
    case .replaces: return beginAnew(with: response, in: sink, isStale: asked != nil)
    // A refusal does not make the file stale.
    case .unsatisfiable, .other: return beginAnew(with: response, in: sink, isStale: false)
    }
  }

  /// The whole comes, or no part of the resource, into a new file.
  private func beginAnew(with response: URLResponse, in sink: FileSink, isStale: Bool) -> Int64 {
    // A load that has started over has no other file.
    guard read({ $0.resumption.data != nil }) else { return 0 }
    sink.startOver(isStale: isStale)
    announceResume(at: 0, of: response.expectedContentLength)
    return 0
  }

  /// The error for a body that ended before it had what its range promised; nil if it had that.
  func truncationError() -> URLError? {
    guard let missing = (read { $0.sink } as? FileSink)?.missing, missing > 0 else { return nil }
    return failure(.networkConnectionLost, "The body ended \(missing) bytes before the end of its range.")
  }

  /// The error for a body that is longer than its range.
  func overrunError(_ overrun: FileSink.Overrun) -> URLError {
    failure(.badServerResponse, "More came than the \(overrun.bodyLength) bytes of the range that was answered.")
  }

  private func startOver(attempt: Int) {
    let now = MonotonicInstant.now
    let request = update { state -> URLRequest? in
      guard state.machine.restarted(attempt: attempt, at: now), var request = state.attempt.request else { return nil }
      state.stopInstance()
      state.resumption.startOver()
      state.response = nil
      ResumptionStage.withdraw(from: &request)
      state.attempt.listenerFields.withdraw(from: &request)
      return request
    }
    guard let request else { return }
    events?.report(.retries(.resourceChanged))
    (read { $0.sink } as? FileSink)?.startOver(isStale: true)
    announceResume(at: 0, of: -1)
    open(request, for: .restart)
  }

  /// Tells the delegate where a download resumes.
  func announceResume(at offset: Int64, of total: Int64) {
    let (delegate, task, delivery) = update { state in
      state.counts.received(total: offset)
      return (state.delegates.download, state.task as? URLSessionDownloadTask, state.delivery)
    }
    guard case .delegate = plan.owner, let delegate, let task, let delivery else { return }
    delivery.add {
      delegate.tell(.resumedAt) {
        $0.urlSession(self.session, downloadTask: task, didResumeAtOffset: offset, expectedTotalBytes: total)
      }
    }
  }

  /// What a later download needs to continue; nil when this one cannot be resumed, and its file is removed.
  func resumeData(of ended: Ended, file: FileSink) -> Data? {
    if ended.resumeDataHandler == nil, (ended.error as? URLError)?.code == .cancelled {
      // It was not asked for. What an earlier download left is still named by its resume data.
      if file.isReopened { _ = file.keep() } else { file.discard() }
      return nil
    }
    let kept = file.keep()
    // Nothing new came: what the earlier download left is still good.
    if ended.response == nil || ended.response.map({ missesCredentials(for: $0) }) == true,
      let earlier = read({ $0.resumption.data })
    {
      return try? earlier.serialized()
    }
    guard let kept else { return nil }
    guard let data = makeResumeData(of: ended.response, path: kept.url.path, length: kept.length) else {
      unlink(kept.url.path)
      return nil
    }
    return data
  }

  /// - Parameter withoutFields: the header fields are kept elsewhere, those that are withheld as well.
  func makeResumeData(of response: URLResponse?, path: String, length: Int64, withoutFields: Bool = false) -> Data? {
    let (request, protocolClass, resumption, offset) = read {
      ($0.attempt.request, $0.attempt.protocolClass, $0.resumption, $0.attempt.rangeOffset)
    }
    guard let response, let request, let url = request.url, request.httpMethod ?? "GET" == "GET",
      protocolClass?.capabilities.contains(.byteRanges) == true
    else { return nil }
    let missing = (fields: plan.resumption?.missingFields ?? [], user: plan.resumption?.missesUser ?? false)
    let made = resumption.resumeData(
      after: response, of: url, for: plan.request, askedAt: offset, file: (path, length), lacking: missing,
      withoutFields: withoutFields)
    return try? made?.serialized()
  }

  // MARK: Credentials of another process
  // A download that another process has begun is tried without the credentials that it had: a stored one, the answer to a challenge or a
  // cookie may do. Where they do not, the error says what is missing.

  /// Whether a response rejects the request, and the resumed download lacks credentials of the original one.
  func missesCredentials(for response: URLResponse) -> Bool {
    guard plan.isResumption, let status = (response as? HTTPURLResponse)?.statusCode else { return false }
    return [401, 403, 407].contains(status) && missing != nil
  }

  /// What such a download fails with.
  func missingCredentials(underlying: (any Error)? = nil) -> URLError {
    failure(
      .userAuthenticationRequired,
      "The resumed download was refused. It began with \(missing ?? "credentials"), which resume data does not hold; begin the download anew with a request that has it.",
      underlying: underlying)
  }

  /// An error of the instance. A refused login of a download that lacks its credentials says so.
  func namingMissingCredentials(_ error: any Error) -> any Error {
    guard plan.isResumption, missing != nil, let code = (error as? URLError)?.code,
      code == .userAuthenticationRequired || code == .userCancelledAuthentication
    else { return error }
    return missingCredentials(underlying: error)
  }

  /// In words; nil if nothing is missing.
  private var missing: String? {
    plan.resumption.flatMap { ResumeSecrets.missing(fields: $0.missingFields, user: $0.missesUser) }
  }
}
