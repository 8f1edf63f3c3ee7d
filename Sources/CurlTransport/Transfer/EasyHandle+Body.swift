internal import URLLoadingCCurl

/// The bodies of the response and of the request.
extension EasyHandle {
  /// Bytes of the response's body. Returns how many were taken, or libcurl's number for a pause.
  func receive(body bytes: UnsafeRawBufferPointer) -> Int {
    guard let transfer = run.transfer else {
      run.drainBudget -= bytes.count
      return run.drainBudget < 0 ? 0 : bytes.count
    }
    // FTP: libcurl writes what it found out as fields of a header, to the body too.
    if run.kind == .ftp, run.isHeadRequest { return bytes.count }
    if !run.hasHead { deliverPendingHead() }
    guard let handler = run.handler else {
      run.isReceivingPaused = true
      return Int(CURL_WRITEFUNC_PAUSE)
    }
    if run.isReceivingPaused { return Int(CURL_WRITEFUNC_PAUSE) }
    if run.kind == .ftp {
      if run.ftp?.rangeReachesEnd == true, exceedsRange(bytes.count) { return 0 }
      dataCame()
    }
    if let contentEncoding = run.contentEncoding { return receiveCodedBody(bytes, contentEncoding) }
    if coalesces(bytes) { return coalesce(bytes, for: transfer, handler) }
    return receive(decoded: bytes, for: transfer, handler)
  }

  /// Takes bytes of the body that need no decoding, and are handed on as they are.
  func receive(decoded bytes: UnsafeRawBufferPointer, for transfer: Transfer, _ handler: any TransferHandler) -> Int {
    switch handler.transfer(transfer, didReceive: bytes) {
    case .accepted:
      run.receivedBytes += Int64(bytes.count)
      run.deliveredBytes += Int64(bytes.count)
      return bytes.count
    case .pause:
      run.isReceivingPaused = true
      return Int(CURL_WRITEFUNC_PAUSE)
    }
  }

  /// Fills `buffer` with the next bytes of the request's body. Returns how many, or one of libcurl's special numbers.
  func provideBody(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    if let count = run.directSending?.takeRest(into: buffer) { return count }
    if run.isFlushing { return flush(into: buffer) }
    guard run.transfer != nil else { return Int(CURL_READFUNC_ABORT) }
    guard !run.isSendingPaused else { return Int(CURL_READFUNC_PAUSE) }
    if shape?.switchesProtocols == true, let number = readBeforeSwitch() { return number }
    guard let body = run.body else { return 0 }
    switch body.read(into: buffer) {
    case .bytes(let count): return count
    case .end: return 0
    case .wait:
      run.isAwaitingBody = true
      let isChallenge =
        run.pendingHead?.statusCode == 401 && run.credentialsAnswer401
        || run.pendingHead?.statusCode == 407 && run.credentialsAnswer407
      if !isChallenge { deliverPendingHead() }
      return Int(CURL_READFUNC_PAUSE)
    case .secure:
      run.failureReason = .bodyFailed
      return Int(CURL_READFUNC_ABORT)
    case .failed(let reason):
      run.failureReason = reason
      return Int(CURL_READFUNC_ABORT)
    }
  }

  /// Rewinds the request's body, to send it again. False if that is impossible or not allowed.
  func rewindBody() -> Bool {
    !refusesRepetition() && run.body?.rewind() != false
  }

  func progress(uploaded: Int64) {
    run.latestUpload = uploaded
    let sent = sentBodyBytes(uploaded: uploaded)
    guard sent != run.reportedSentBytes, let transfer = run.transfer else { return }
    run.reportedSentBytes = sent
    run.handler?.transfer(transfer, didSendBodyBytes: sent)
  }

  /// Bytes of the request's body that libcurl has written.
  var uploadedBytes: Int64 { Int64(ccurl_get_off(curl, CURLINFO_SIZE_UPLOAD_T)) }

  /// Bytes of the request's body that were written.
  /// - Parameter uploaded: those of libcurl's, which may count some that are not of the body.
  func sentBodyBytes(uploaded: Int64) -> Int64 {
    min(uploaded + (run.directSending?.sentBytes ?? 0), run.body?.readBytes ?? 0)
  }
}
