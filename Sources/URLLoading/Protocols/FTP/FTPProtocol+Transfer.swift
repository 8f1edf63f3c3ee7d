internal import URLLoadingCurlTransport

/// Events of the transfer, on the transfer loop.
extension FTPProtocol: TransferHandler {
  func transferDidLeaveQueue(_ transfer: Transfer) {
    state.withLock { $0.upload?.isUnderWay = true }
    sessionClient?.urlProtocol(self, isWaiting: false)
  }

  func transfer(_ transfer: Transfer, didReceiveInformational head: TransferHead) {}

  func transfer(_ transfer: Transfer, didReceive head: TransferHead) {
    let stage = state.withLock { state in
      switch state.stage {
      case .probe, .file: state.probed = head
      case .lookup, .confirmation, .body, .directory, .listing, .change: break
      }
      return state.stage
    }
    switch stage {
    case .body(.some) where hasChanged(head): chooseAgain(transfer)
    case .body(let range):
      collectHead(of: transfer)
      respond(head, range: range)
    case .listing:
      collectHead(of: transfer)
      respondToListing(head)
    case .probe, .lookup, .confirmation, .directory, .file, .change: break
    }
  }

  func transfer(_ transfer: Transfer, didReceive bytes: UnsafeRawBufferPointer) -> TransferFlow {
    guard transferTakesBody(transfer) else { return .pause }
    take(bytes, of: transfer)
    return .accepted
  }

  private func take(_ bytes: UnsafeRawBufferPointer, of transfer: Transfer) {
    let (stage, isStopped) = state.withLock { ($0.stage, $0.isStopped) }
    guard !isStopped else { return }
    switch stage {
    case .body where isHead: endAtBody(transfer)
    case .body: sessionClient?.urlProtocol(self, didLoad: bytes)
    case .listing: list(bytes, of: transfer)
    case .lookup: lookUp(bytes, of: transfer)
    case .probe, .confirmation, .directory, .file, .change: break
    }
  }

  func transferTakesBody(_ transfer: Transfer) -> Bool { sessionClient?.gate.isOpen != false }

  func transfer(_ transfer: Transfer, didCoalesce bytes: Data) {
    bytes.withUnsafeBytes { take($0, of: transfer) }
  }

  func transfer(_ transfer: Transfer, didReceiveTrailers fields: [(name: String, value: String)]) {}

  func transfer(_ transfer: Transfer, didSendBodyBytes total: Int64) {
    state.withLock { $0.upload?.hasSent = true }
    sessionClient?.urlProtocol(self, didSendBodyData: total)
  }

  func transfer(_ transfer: Transfer, didCompleteWith result: Result<TransferMetrics, TransferFailure>) {
    guard let sessionClient else { return }
    let (stage, isAbandoned) = state.withLock { ($0.stage, $0.abandoned === transfer) }
    guard !isAbandoned else { return }
    if case .failure(let failure) = result, case .unanswered(let question) = failure.reason,
      let url = request.url
    {
      // The question is not asked again, so that the load ends.
      sessionClient.session.component(FTPServerMemory.self).leftUnanswered(question, by: url)
      return start(stage)
    }
    let upload = state.withLock { state in
      defer { state.upload = nil }
      return state.upload
    }
    if let upload {
      if case .success = result { upload.record.end(upload.mark) } else { upload.fail() }
    }
    if case .failure(let failure) = result, asks(failure) || blamesProxy(failure) { return }
    switch stage {
    case .directory(let failure): return tell(failure, isDirectory: (try? result.get()) != nil)
    case .file(let failure): return tell(failure, isFile: (try? result.get()) != nil)
    case .lookup: return lookupEnded(result)
    case .confirmation(let length): return confirmationEnded(ofLength: length, result)
    case .change(let change): return changeEnded(change, result)
    case .probe, .body, .listing: break
    }
    switch result {
    case .failure(let failure) where failure.urlErrorCode == .userAuthenticationRequired:
      challenge(failure)
    case .failure(let failure) where failure.reason == .restartRefused && takeRange():
      // The server knows no REST: it gives the whole, as one without ranges does.
      start(.body(nil))
    case .failure(let failure) where wantsEntries: listingFailed(failure)
    case .success(let metrics) where wantsEntries: listingEnded(metrics)
    case .failure(let failure)
    where failure.urlErrorCode == .fileDoesNotExist && sessionClient.urlProtocolUploadBody(self) == nil:
      start(.directory(failure))
    case .failure(let failure): tell(failure)
    case .success(let metrics):
      if let probed = state.withLock({ state in
        defer { state.probed = nil }
        return state.probed
      }) {
        return choose(probed)
      }
      collect(metrics)
      sessionClient.urlProtocolDidFinishLoading(self)
    }
  }

  /// Ends the load.
  func tell(_ failure: TransferFailure, isDirectory: Bool = false) {
    collect(failure.metrics)
    var failure = failure
    if isDirectory {
      failure.urlErrorCode = .fileIsDirectory
      failure.message = "The URL names a directory (\(failure.message))"
    }
    handleIdentityRefusal(&failure)
    distinguish(failure, through: route) { self.fail(self.error(for: $0)) }
  }

  /// Whether a range was asked for; it is no longer.
  private func takeRange() -> Bool {
    state.withLock { state in
      guard case .body(.some) = state.stage else { return false }
      state.stage = .body(nil)
      return true
    }
  }

  func collect(_ metrics: TransferMetrics, isEnded: Bool = true) {
    guard let sessionClient, sessionClient.urlProtocolDemand(self).wantsMetrics else { return }
    let transaction = URLSessionTaskTransactionMetrics(request: request, metrics: metrics)
    if !isEnded { (transaction.responseStartDate, transaction.responseEndDate) = (nil, nil) }
    sessionClient.urlProtocol(self, didCollect: transaction)
  }

  /// Reports what is known ahead of the response, where that is wanted.
  private func collectHead(of transfer: Transfer) {
    guard sessionClient?.urlProtocolDemand(self).wantsConnectionMetrics == true, let metrics = transfer.currentMetrics
    else { return }
    collect(metrics, isEnded: false)
  }

  // MARK: Ranges

  /// Size and date are known: loads the range, or the whole where the range does not apply.
  private func choose(_ head: TransferHead) {
    state.withLock { $0.chosenBy = head }
    guard let length = head.resourceLength ?? head.contentLength else { return start(stageWithoutLength) }
    choose(ofLength: length, Self.validators(head))
  }

  /// Loads what the request asks for of a resource of this size.
  func choose(ofLength length: Int64, _ validators: ResourceValidators) {
    switch request.byteRange(ofLength: length, validators: validators) {
    case .whole: start(.body(nil))
    case .partial(let range): start(.body(range))
    case .unsatisfiable:
      fail(.unsatisfiableRange(of: request, length: length))
    }
  }

  /// Whether the range was chosen by what another file had, of the same name.
  private func hasChanged(_ head: TransferHead) -> Bool {
    guard let chosen = state.withLock({ $0.chosenBy }) else { return false }
    func differ(_ first: Int64?, _ second: Int64?) -> Bool {
      guard let first, let second else { return false }
      return first != second
    }
    return differ(chosen.resourceLength, head.resourceLength) || differ(chosen.lastModified, head.lastModified)
  }

  /// Chooses a range of the file that is there now.
  private func chooseAgain(_ transfer: Transfer) {
    transfer.cancel()
    let changes = state.withLock { state in
      state.abandoned = transfer
      state.changes += 1
      return state.changes
    }
    guard changes > Self.largestChangeCount else { return start(.probe) }
    let message = "The file changed each time that its size was known."
    fail(URLError(.networkConnectionLost, message: message, url: request.url))
  }

  private static let largestChangeCount = 3

  /// Ends a `HEAD` at the first byte of a body that was requested since the server answers no SIZE.
  private func endAtBody(_ transfer: Transfer) {
    let metrics = transfer.currentMetrics
    transfer.cancel()
    if let metrics { collect(metrics) }
    client?.urlProtocolDidFinishLoading(self)
  }

  private func respond(_ head: TransferHead, range: ContentRange?) {
    guard let url = request.url else { return }
    let length = range.map { $0.length } ?? head.contentLength ?? -1
    client?.urlProtocol(
      self,
      didReceive: URLResponse(
        url: url, mimeType: MIMETypes.type(forFileName: url.lastPathComponent) ?? "application/octet-stream",
        expectedContentLength: length, textEncodingName: nil, contentRange: range,
        validators: Self.validators(head), acceptsByteRanges: head.contentLength != nil),
      cacheStoragePolicy: .notAllowed)
  }

  /// MDTM's time (RFC 3659, section 3), and size: FTP has no better validators.
  private static func validators(_ head: TransferHead) -> ResourceValidators {
    guard let modified = head.lastModified else { return ResourceValidators() }
    let size = head.resourceLength ?? -1
    return ResourceValidators(
      entityTag: "\"\(String(size, radix: 16))-\(modified)\"",
      lastModified: Date(timeIntervalSince1970: TimeInterval(modified)))
  }
}
