import Glibc
internal import URLLoadingBase
internal import URLLoadingCCurl

/// The end of a transfer, and its result.
extension EasyHandle {
  /// The last calls of a transfer's handler, made after the handle was given back.
  struct Completion {
    let transfer: Transfer
    let handler: any TransferHandler
    @Boxed var head: TransferHead?
    var trailers: [(name: String, value: String)] = []
    var sentBytes: Int64?
    /// Nil for unknown ones.
    var metrics: TransferMetrics?
    /// Nil for a success.
    @Boxed var failure: TransferFailure?

    consuming func deliver() {
      if let sentBytes { handler.transfer(transfer, didSendBodyBytes: sentBytes) }
      if let head { handler.transfer(transfer, didReceive: head) }
      if !trailers.isEmpty { handler.transfer(transfer, didReceiveTrailers: trailers) }
      handler.transfer(transfer, didCompleteWith: failure.map { .failure($0) } ?? .success(metrics ?? .unknown))
    }
  }

  /// The completion for libcurl's result; nil when there is no handler any more. From then on it has the transfer and the handler,
  /// and the handle is to be detached.
  func completion(_ code: CURLcode) -> Completion? {
    guard run.transfer != nil, run.handler != nil else { return nil }
    let code = run.kind == .ftp ? ftpResult(code) : code
    if code == CURLE_HTTP2_STREAM, run.failureReason == nil, CurlLibrary.shared.losesEarlyAnswers,
      errorBuffer.pointee == 0
    {
      // What came of the body is lost.
      run.pendingHead = nil
    }
    let isGood = code == CURLE_OK || (run.failureReason == nil && isComplete(despite: code))
    let head = isGood || run.pendingHead != nil ? takePendingHead() : nil
    let defectReason = isGood ? self.defectReason : nil
    if let defectReason { run.failureReason = defectReason }
    let isSuccess = isGood && defectReason == nil
    let failure = isSuccess ? nil : failure(code)
    guard let transfer = run.transfer.take(), let handler = run.handler.take() else { return nil }
    transfer.attach(nil)
    return Completion(
      transfer: transfer, handler: handler, head: head,
      trailers: run.hasHead && run.kind == .http ? run.parser.takeTrailers() : [], sentBytes: unreportedSentBytes,
      metrics: isSuccess && run.wantsMetrics ? metrics() : nil, failure: failure)
  }

  /// The defect of a response that libcurl reports as complete.
  private var defectReason: TransferFailure.Reason? {
    // libcurl 7.88 takes half a head for a whole one.
    guard run.hasHead else { return .incompleteHead }
    if let incompleteness = run.decoder?.incompleteness { return .undecodableBody(incompleteness) }
    // libcurl may have been told to ignore the length; see `requestBegins`.
    guard run.kind == .http, run.body != nil, let expectedLength = run.expectedLength else { return nil }
    let received = Int64(ccurl_get_off(curl, CURLINFO_SIZE_DOWNLOAD_T))
    return received == expectedLength ? nil : .wrongLength(received: received, expected: expectedLength)
  }

  private var unreportedSentBytes: Int64? {
    guard run.body != nil else { return nil }
    let sent = sentBodyBytes(uploaded: uploadedBytes)
    return sent > run.reportedSentBytes ? sent : nil
  }

  /// The completion for a failure that is not libcurl's; nil when there is no handler any more.
  func failure(_ reason: TransferFailure.Reason) -> Completion? {
    guard let transfer = run.transfer, let handler = run.handler else { return nil }
    var failure = TransferFailure(reason)
    failure.metrics = metrics()
    return Completion(transfer: transfer, handler: handler, failure: failure)
  }

  /// A server may answer, and close the connection or the stream (RFC 9113, section 8.1), before it has read the request's body. What
  /// counts is that the answer is whole.
  private func isComplete(despite code: CURLcode) -> Bool {
    guard run.kind == .http else { return isCompleteFTP(despite: code) }
    switch code {
    case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2_STREAM, CURLE_HTTP2, CURLE_PARTIAL_FILE: break
    default: return false
    }
    guard run.hasHead, run.body != nil else { return false }
    return run.isHeadRequest || run.expectedLength == Int64(ccurl_get_off(curl, CURLINFO_SIZE_DOWNLOAD_T))
  }

  /// What a result of libcurl's means.
  func failure(_ code: CURLcode) -> TransferFailure {
    var failure: TransferFailure
    if let failureReason = run.quicFault.map({ TransferFailure.Reason.quic($0) }) ?? run.failureReason {
      failure = TransferFailure(failureReason)
      failure.curlCode = Int(code.rawValue)
    } else if let reason = shortage(behind: code) ?? refusal(behind: code) {
      failure = TransferFailure(reason)
      failure.curlCode = Int(code.rawValue)
    } else {
      let context = CurlErrorContext(
        kind: run.kind, hasResponse: run.hasHead, isConnected: run.isRequestSent,
        lacksRoute: run.triedAddresses.lackRoute(Int32(truncatingIfNeeded: ccurl_get_long(curl, CURLINFO_OS_ERRNO))),
        verifyResult: verifyResult, lacksIdentity: run.handshakes?.lacksIdentity == true,
        // A tunnel that was refused, and whose connection was opened again, has no answer yet.
        proxyStatusCode: run.kind == .http && run.proxyHead == nil
          ? 0 : ccurl_get_long(curl, CURLINFO_HTTP_CONNECTCODE),
        isUnanswered: ccurl_get_long(curl, CURLINFO_OS_ERRNO) == Int(ETIMEDOUT),
        socksCode: code == CURLE_PROXY ? ccurl_get_long(curl, CURLINFO_PROXY_ERROR) : 0,
        ftpReplyCode: run.ftp?.replies.code ?? 0, ftpReplyText: run.ftp?.replies.text ?? "")
      failure = TransferFailure(
        curlCode: Int(code.rawValue), words: run.fate.writes?.alertWords ?? String(cString: errorBuffer),
        context: context)
      if run.ftp?.change?.hasBegun == true {
        describeChange(&failure)
      } else if let text = run.ftp?.replies.text, !text.isEmpty {
        failure.message += " (\(text))"
      }
      if code == CURLE_SEND_FAIL_REWIND { failure.reason = .bodyNotRewindable }
    }
    failure.metrics = metrics()
    judgeRepetition(&failure)
    if shape?.quic != nil { judgeQUIC(&failure) }
    failure.bodyError = run.body?.error
    if !run.isRequestSent { failure.proxyResponse = run.proxyHead }
    return failure
  }

  /// What the system had none of, where libcurl only says what it could not do.
  private func shortage(behind code: CURLcode) -> TransferFailure.Reason? {
    switch code {
    case CURLE_COULDNT_CONNECT where run.socketShortage != 0:
      return .unavailable("no connection can be opened", error: run.socketShortage)
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
      // The resolver has a thread and a pair of sockets for each name, and reads files.
      let lacksThread = String(cString: errorBuffer).contains("thread failed to start")
      return (SystemShortage.ofDescriptors ?? (lacksThread ? EAGAIN : nil)).map {
        .unavailable("no name can be looked up", error: $0)
      }
    case CURLE_SSL_CACERT_BADFILE:
      return SystemShortage.ofDescriptors.map { .noDescriptorForRoots($0) }
    default: return nil
    }
  }

  /// Why there is no connection to a Unix socket, of which libcurl says nothing but a number: none for a queue that is full.
  private func refusal(behind code: CURLcode) -> TransferFailure.Reason? {
    guard let socketPath, code == CURLE_COULDNT_CONNECT else { return nil }
    let error = Int32(truncatingIfNeeded: ccurl_get_long(curl, CURLINFO_OS_ERRNO))
    return .unixSocket(path: socketPath, error: error == 0 ? EAGAIN : error)
  }

  /// Why a certificate was refused: the server's, or that of a proxy that is spoken to over TLS.
  private var verifyResult: Int {
    let server = ccurl_get_long(curl, CURLINFO_SSL_VERIFYRESULT)
    guard server == 0, shape?.proxy?.kind == .https else { return server }
    return ccurl_get_long(curl, CURLINFO_PROXY_SSL_VERIFYRESULT)
  }
}
