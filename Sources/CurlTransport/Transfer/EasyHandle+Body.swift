internal import URLLoadingCCurl

/// The bodies of the response and of the request.
extension EasyHandle {
  /// Bytes of the response's body. Returns how many were taken, or libcurl's number for a pause.
  func receive(body bytes: UnsafeRawBufferPointer) -> Int {
    guard let transfer else {
      drainBudget -= bytes.count
      return drainBudget < 0 ? 0 : bytes.count
    }
    // FTP: libcurl writes what it found out as fields of a header, to the body too.
    if kind == .ftp, isHeadRequest { return bytes.count }
    if !hasHead { deliverPendingHead() }
    guard let handler else {
      isReceivingPaused = true
      return Int(CURL_WRITEFUNC_PAUSE)
    }
    if isReceivingPaused { return Int(CURL_WRITEFUNC_PAUSE) }
    if kind == .ftp {
      if ftpRangeReachesEnd, exceedsRange(bytes.count) { return 0 }
      dataCame()
    }
    if let contentEncoding { return receiveCodedBody(bytes, contentEncoding) }
    if coalesces(bytes) { return coalesce(bytes, for: transfer, handler) }
    return receive(decoded: bytes, for: transfer, handler)
  }

  /// Takes bytes of the body that need no decoding, and are handed on as they are.
  func receive(decoded bytes: UnsafeRawBufferPointer, for transfer: Transfer, _ handler: any TransferHandler) -> Int {
    switch handler.transfer(transfer, didReceive: bytes) {
    case .accepted:
      receivedBytes += Int64(bytes.count)
      deliveredBytes += Int64(bytes.count)
      return bytes.count
    case .pause:
      isReceivingPaused = true
      return Int(CURL_WRITEFUNC_PAUSE)
    }
  }

  /// Fills `buffer` with the next bytes of the request's body. Returns how many, or one of libcurl's special numbers.
  func provideBody(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    if let count = directSending.takeRest(into: buffer) { return count }
    if isFlushing { return flush(into: buffer) }
    guard transfer != nil else { return Int(CURL_READFUNC_ABORT) }
    guard !isSendingPaused else { return Int(CURL_READFUNC_PAUSE) }
    if shape?.switchesProtocols == true, let number = readBeforeSwitch() { return number }
    switch body.read(into: buffer) {
    case .bytes(let count): return count
    case .end: return 0
    case .wait:
      isAwaitingBody = true
      let isChallenge =
        pendingHead?.statusCode == 401 && credentialsAnswer401 || pendingHead?.statusCode == 407 && credentialsAnswer407
      if !isChallenge { deliverPendingHead() }
      return Int(CURL_READFUNC_PAUSE)
    case .secure:
      failureReason = .bodyFailed
      return Int(CURL_READFUNC_ABORT)
    case .failed(let reason):
      failureReason = reason
      return Int(CURL_READFUNC_ABORT)
    }
  }

  /// Rewinds the request's body, to send it again. False if that is impossible or not allowed.
  func rewindBody() -> Bool {
    !refusesRepetition() && body.rewind()
  }

  func progress(uploaded: Int64) {
    latestUpload = uploaded
    let sent = sentBodyBytes(uploaded: uploaded)
    guard sent != reportedSentBytes, let transfer else { return }
    reportedSentBytes = sent
    handler?.transfer(transfer, didSendBodyBytes: sent)
  }

  /// Bytes of the request's body that libcurl has written.
  var uploadedBytes: Int64 { Int64(ccurl_get_off(curl, CURLINFO_SIZE_UPLOAD_T)) }

  /// Bytes of the request's body that were written.
  /// - Parameter uploaded: those of libcurl's, which may count some that are not of the body.
  func sentBodyBytes(uploaded: Int64) -> Int64 { min(uploaded + directSending.sentBytes, body.readBytes) }
}
