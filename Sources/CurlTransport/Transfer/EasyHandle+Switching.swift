internal import URLLoadingBase
internal import URLLoadingCCurl

/// A connection that was upgraded from HTTP to another protocol (RFC 9110, section 7.8): each side may send until it closes its direction.
///
/// For libcurl it is an upload whose response has begun. It does not handle a server that closes the connection while nothing is to be
/// sent, nor the flush of queued bytes before a cancelled connection is closed.
extension EasyHandle {
  /// What a read of the body returns before the response 101: a pause, or the end where the server does not upgrade. Nil after the upgrade.
  func readBeforeSwitch() -> Int? {
    switch run.hasSwitched {
    case true?: return nil
    case false?: return 0
    case nil:
      run.isAwaitingBody = true
      return Int(CURL_READFUNC_PAUSE)
    }
  }

  /// What libcurl waits for on the socket of a handle, as it says.
  static func interestChanged(of curl: UnsafeMutableRawPointer, in descriptor: Int32, isNothing: Bool) {
    guard let context = ccurl_get_private(curl) else { return }
    let easy = Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
    easy.run.switchedSocket = isNothing ? nil : descriptor
    easy.detectClosingPeer()
  }

  /// Nothing that libcurl waits for, while it waits for the answer or is not paused, means that the server has closed its direction:
  /// libcurl 7.88 reads no more then, and does not end the transfer while sending is paused. At other moments it reports the same
  /// interest transiently, and another one immediately after. An end that it reads while it is paused changes no interest later.
  func detectClosingPeer() {
    guard let multi, shape?.switchesProtocols == true, run.isRequestSent, run.hasSwitched != false, !run.isFlushing
    else { return }
    let isClosed = run.switchedSocket == nil && !run.isReceivingPaused
    guard isClosed != run.isClosedByPeer else { return }
    run.isClosedByPeer = isClosed
    multi.setDeadline(isClosed ? .now : .distantFuture, of: self)
  }

  /// The server has closed its direction, and libcurl does not end the transfer.
  func endBecauseOfPeer() {
    multi?.finish(self, run.hasSwitched == true ? CURLE_OK : CURLE_GOT_NOTHING)
  }

  /// Writes without waiting for the socket to be writable: it usually is, and waiting costs three system calls and a turn of the loop. A
  /// full socket is waited for.
  func sendWithoutWaiting() {
    guard run.hasSwitched == true, !run.isSendingPaused, !run.isFlushing, let descriptor = run.switchedSocket else {
      return
    }
    multi?.socketIsReady(descriptor, 2)
  }

  /// Sends what is ready to be sent, within a second, and closes the connection.
  func closeWhenSent(_ multi: MultiHandle) {
    abandonTransfer()
    run.isFlushing = true
    run.drainBudget = Self.drainedAtEnd
    multi.setDeadline(.now.advanced(by: .seconds(1)), of: self)
    run.isReceivingPaused = false
    run.isSendingPaused = false
    run.isAwaitingBody = false
    applyPause()
  }

  /// Returns the remaining bytes to send. By the next call they are written, and the handle is discarded.
  func flush(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    if case .bytes(let count)? = run.body?.read(into: buffer) { return count }
    multi?.setDeadline(.now, of: self)
    return Int(CURL_READFUNC_PAUSE)
  }

}
