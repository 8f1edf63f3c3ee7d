internal import CurlTransport

/// Downloads that go on where an earlier one stopped, written once for every class that declares byte ranges.
extension Load {
  enum Placement { case failed, begins(at: Int64) }

  /// Asks for what the partial file of a resumed download lacks.
  /// - Returns: the offset that was asked for; nil when the whole is loaded.
  func addRange(to request: inout URLRequest, class protocolClass: URLProtocol.Type) -> Int64? {
    guard plan.isResumption else { return nil }
    let (resumption, sink) = read { ($0.resumption, $0.sink as? FileSink) }
    guard let resumption, let sink else { return nil }
    // A redirect brings those of the attempt before.
    request.setValue(nil, forHTTPHeaderField: "Range")
    request.setValue(nil, forHTTPHeaderField: "If-Range")
    guard protocolClass.capabilities.contains(.byteRanges), let validator = Self.ifRange(resumption) else { return nil }
    let length = sink.length > 0 ? sink.length : sink.reopen(URL(fileURLWithPath: resumption.localPath)) ?? 0
    // A file that has every byte asks for its last one again, so that the validator is checked all the same.
    let whole = resumption.expectedTotalLength
    let offset = whole > 0 ? min(length, whole - 1) : length
    guard offset > 0 else { return nil }
    request.setValue("bytes=\(offset)-", forHTTPHeaderField: "Range")
    request.setValue(validator, forHTTPHeaderField: "If-Range")
    return offset
  }

  /// Decides where in the file the body of a response belongs.
  func placeBody(of response: URLResponse) -> Placement {
    guard plan.isResumption else { return .begins(at: 0) }
    let (asked, resumption, sink, attempt) = read {
      ($0.resumeOffset, $0.resumption, $0.sink as? FileSink, $0.machine.attempt)
    }
    guard let sink, let resumption else { return .begins(at: 0) }
    let status = (response as? HTTPURLResponse)?.statusCode
    guard let asked else {
      // The partial file is gone, or the class has no ranges: the whole comes.
      sink.startOver(isStale: false)
      announceResume(at: 0, of: response.expectedContentLength)
      return .begins(at: 0)
    }
    if let range = response.contentRange, status ?? 206 == 206, Self.continues(resumption, at: asked, range, response) {
      do {
        try sink.continueAt(asked)
      } catch {
        abort(error)
        return .failed
      }
      announceResume(at: asked, of: range.completeLength ?? -1)
      return .begins(at: asked)
    }
    if status == 416 || status == 206 || response.contentRange != nil {
      // The server cannot give that range, or gives one of another version: start again, and ask for the whole.
      startOver(attempt: attempt)
      return .failed
    }
    // The whole comes, of a resource that changed; or word that it cannot be had now, which does not make the file stale.
    sink.startOver(isStale: status ?? 200 == 200)
    announceResume(at: 0, of: response.expectedContentLength)
    return .begins(at: 0)
  }

  /// Whether the bytes of a response belong behind those of the partial file (RFC 9110, section 15.3.7.3): they are the
  /// rest, of the same version. A server that knows no `If-Range` answers with a range of whatever version it has.
  private static func continues(
    _ resumption: ResumeData, at offset: Int64, _ range: ContentRange, _ response: URLResponse
  ) -> Bool {
    guard range.firstByte == offset else { return false }
    if let complete = range.completeLength {
      guard range.lastByte == complete - 1 else { return false }
      guard resumption.expectedTotalLength < 0 || resumption.expectedTotalLength == complete else { return false }
    }
    if let coding = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Encoding"),
      !coding.equalsIgnoringASCIICase("identity")
    {
      return false
    }
    let validators = response.validators
    if let tag = resumption.entityTag, let new = validators.entityTag { return tag == new }
    guard let date = resumption.lastModified.flatMap({ HTTPDate.date(from: $0) }), let new = validators.lastModified
    else { return true }
    return date.timeIntervalSince1970 == new.timeIntervalSince1970.rounded(.down)
  }

  private func startOver(attempt: Int) {
    let now = MonotonicInstant.now
    let request = update { state -> URLRequest? in
      guard state.machine.restarted(attempt: attempt, at: now), var request = state.currentRequest else { return nil }
      state.post(.stop)
      state.driver = nil
      state.held = []
      state.isReplaying = false
      state.resumption = nil
      state.response = nil
      state.metrics.endTransaction()
      request.setValue(nil, forHTTPHeaderField: "Range")
      request.setValue(nil, forHTTPHeaderField: "If-Range")
      return request
    }
    guard let request else { return }
    (read { $0.sink } as? FileSink)?.startOver(isStale: true)
    announceResume(at: 0, of: -1)
    open(request, isRedirect: true, isTrusted: true)
  }

  private func announceResume(at offset: Int64, of total: Int64) {
    let (delegate, task, delivery) = update { state in
      state.counts.received = offset
      return (state.delegates.download, state.task as? URLSessionDownloadTask, state.delivery)
    }
    guard case .delegate = plan.owner, let delegate, let task, let delivery else { return }
    delivery.add {
      delegate.urlSession(self.session, downloadTask: task, didResumeAtOffset: offset, expectedTotalBytes: total)
    }
  }

  /// What a later download needs to go on; nil when this one cannot be resumed, and its file is removed.
  func resumeData(of ended: Ending, file: FileSink) -> Data? {
    if ended.resumeDataHandler == nil, (ended.error as? URLError)?.code == .cancelled {
      // Nobody asked for it. What an earlier download left is still named by its resume data.
      if file.isReopened { _ = file.keep() } else { file.discard() }
      return nil
    }
    let kept = file.keep()
    // Nothing new came: what the earlier download left is still good.
    if ended.response == nil || ended.response.map({ missesCredentials(for: $0) }) == true,
      let earlier = read({ $0.resumption })
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

  private func makeResumeData(of response: URLResponse?, path: String, length: Int64) -> Data? {
    let (request, protocolClass, resumption) = read { ($0.currentRequest, $0.protocolClass, $0.resumption) }
    guard let response, let request, let url = request.url,
      request.httpMethod ?? "GET" == "GET", protocolClass?.capabilities.contains(.byteRanges) == true,
      response.acceptsByteRanges || response.contentRange != nil
    else { return nil }
    // A range need not repeat the date that was the condition for it (RFC 9110, section 15.3.7).
    let earlier = response.contentRange != nil && response.validators.isEmpty ? resumption : nil
    guard earlier != nil || response.validators.ifRangeValue != nil else { return nil }
    if let http = response as? HTTPURLResponse {
      guard http.statusCode == 200 || http.statusCode == 206, http.value(forHTTPHeaderField: "Content-Encoding") == nil
      else { return nil }
    }
    // A range that the user asked for is not the whole resource: its bytes do not sit where they stand in the file.
    guard plan.request.value(forHTTPHeaderField: "Range") == nil else { return nil }
    let total = response.contentRange.map { $0.completeLength ?? -1 } ?? response.expectedContentLength
    let headers = plan.request.allHTTPHeaderFields ?? [:]
    var made = ResumeData(
      url: url, originalURL: plan.request.url ?? url, method: "GET",
      headers: headers.sorted { $0.key < $1.key }.map { ResumeData.Field(name: $0.key, value: $0.value) },
      bytesReceived: length,
      expectedTotalLength: total, entityTag: earlier?.entityTag ?? response.validators.entityTag,
      lastModified: earlier?.lastModified ?? response.validators.lastModified.map { HTTPDate.string(from: $0) },
      localPath: path)
    made.missingFields = plan.resumption?.missingFields ?? []
    made.missesUser = plan.resumption?.missesUser ?? false
    return try? made.serialized()
  }

  /// The validator that makes a range request safe (RFC 9110, section 13.1.5): a strong entity tag, else the date.
  private static func ifRange(_ resumption: ResumeData) -> String? {
    if let tag = resumption.entityTag, !tag.hasPrefix("W/") { return tag }
    return resumption.lastModified
  }

  // MARK: A data task that becomes a download

  /// Puts a download task in the place of a data task, whose bytes so far go to the file.
  ///
  /// Called by the delivery, as the completion is: so the end is told about the one task or about the other.
  func becomeDownload(_ task: URLSessionDataTask) {
    let file = FileSink()
    let download = URLSessionDownloadTask(continuing: task, load: self)
    let (delegate, sink) = update { state -> ((any URLSessionDataDelegate)?, DelegateSink?) in
      guard state.task === task else { return (nil, nil) }
      state.task = download
      session.taskRegistry.retain(download)
      session.taskRegistry.remove(task)
      return (state.delegates.data, state.sink as? DelegateSink)
    }
    guard let delegate, let sink else { return }
    delegate.urlSession(session, dataTask: task, didBecome: download)
    do {
      consumed(try sink.moveOn(to: file))
    } catch {
      return abort(error)
    }
    tellProgress()
  }
}
