internal import URLLoadingBase
internal import URLLoadingCCurl

/// What a transfer's owner asks of the handle: pausing, resuming, the end.
extension EasyHandle {
  /// From within a callback: no more of the body is taken; the next piece pauses libcurl.
  func refuseBody() {
    run.isReceivingPaused = true
  }

  /// From within a callback: the handler gets no more calls.
  func silence() {
    _ = run.handler.take()
  }

  /// On a full-duplex connection an owner that pauses reading may still write.
  func pause() {
    run.isReceivingPaused = true
    run.isSendingPaused = run.hasSwitched != true && run.connection == nil
    applyPause()
  }

  func resume() {
    guard run.isReceivingPaused || run.isSendingPaused else { return }
    run.isReceivingPaused = false
    run.isSendingPaused = false
    if run.kind == .ftp { waitAnew() }
    deliverRefused()
    applyPause()
    if run.hasSwitched == true { detectClosingPeer() }
  }

  func resumeSending() {
    guard run.isAwaitingBody, !sendDirectly() else { return }
    run.isAwaitingBody = false
    applyPause()
    sendWithoutWaiting()
  }

  private var pauseMask: Int32 {
    var mask: Int32 = 0
    if run.isReceivingPaused { mask |= CURLPAUSE_RECV }
    if run.isAwaitingBody || run.isSendingPaused { mask |= CURLPAUSE_SEND }
    return mask
  }

  /// Makes libcurl open the FTP data connection that the server has named. When 7.88 reads that reply in the same call in which it sent
  /// the command, it neither continues nor waits for anything. A change of what is paused wakes it.
  func openDataConnection() {
    curl_easy_pause(curl, pauseMask ^ CURLPAUSE_RECV)
    applyPause()
  }

  func applyPause() {
    guard shape?.connectsOnly != true else { return pauseChanged() }
    if run.isReceivingPaused {
      watchFirstFieldWhilePaused()
    }
    // libcurl delivers what it has buffered from within this call.
    let code = curl_easy_pause(curl, pauseMask)
    if CurlLibrary.shared.keepsReadiness { isOfOneTransfer = true }
    deliverCoalescedBody()
    // Without a connection there is nothing to pause yet; the callbacks look at the flags when there is.
    guard code != CURLE_OK, code != CURLE_BAD_FUNCTION_ARGUMENT else { return }
    multi?.finish(self, code)
  }

  func cancel(discardingUpTo count: Int) {
    guard let multi else { return }
    if run.hasSwitched == true { return closeWhenSent(multi) }
    if run.connection?.mayLinger == true { return closeWhenPeerHas(multi) }
    let left = run.expectedLength.map { $0 - run.receivedBytes }
    let isLast = run.hasHead && run.body?.isComplete != false && run.kind == .http
    guard count > 0, isLast, left.map({ $0 <= Int64(count) }) ?? true else {
      multi.release(self)
      return
    }
    abandonTransfer()
    run.drainBudget = count
    multi.setDeadline(.now.advanced(by: .seconds(1)), of: self)
    // Nothing is left to be sent, but libcurl 7.88 takes a transfer that may not send for one that is not done.
    resume()
    continueDecoding()
  }
}
