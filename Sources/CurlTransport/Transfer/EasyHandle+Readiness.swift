internal import URLLoadingCCurl

/// libcurl 8.4 to 8.20 notes what a transfer could read when it paused. A transfer that has read all there is, and whose socket can be read
/// still (the server has closed the connection, or an FTP server has confirmed the file), is then due at once for as long as its receiving is
/// paused. Another pause, of receiving alone, has libcurl look once more, and forget.
extension EasyHandle {
  /// libcurl is due at once, turn by turn: has it forget what this transfer could read, if that may be why.
  func forgetReadiness() {
    guard run.isReceivingPaused, run.isAnswered || run.hasHead, !run.isFlushing, mayBeReadToEnd else { return }
    curl_easy_pause(curl, CURLPAUSE_RECV)
  }

  /// While there is more to read, libcurl would read it; while there is more to send, it would send it.
  private var mayBeReadToEnd: Bool {
    if run.hasSwitched == true { return run.switchedSocket == nil && !run.isAwaitingBody }
    guard run.body?.isComplete != false else { return false }
    return run.expectedLength.map { Int64(ccurl_get_off(curl, CURLINFO_SIZE_DOWNLOAD_T)) >= $0 } ?? true
  }
}
