internal import URLLoadingBase
internal import URLLoadingCCurl

/// When libcurl, transfers that are drained, and replies of FTP servers want the loop's next turn.
extension MultiHandle {
  /// Sets the deadline of a transfer that is drained, or of the reply that it waits for; `.distantFuture` for none.
  func setDeadline(_ deadline: MonotonicInstant, of easy: EasyHandle) {
    guard deadline != easy.deadline else { return }
    timed += (deadline == .distantFuture ? 0 : 1) - (easy.deadline == .distantFuture ? 0 : 1)
    easy.deadline = deadline
    easy.overdueTurn = nil
    updateDeadline()
  }

  /// Gives up a transfer that is drained; ends one that the server has closed; fails one whose reply did not come in time.
  private func deadlineIsReached(of easy: EasyHandle, _ now: MonotonicInstant) {
    guard easy.run.transfer != nil else { return release(easy) }
    if easy.run.isClosedByPeer { return easy.endBecauseOfPeer() }
    if easy.run.quicWatch != nil { return easy.quicDeadlineIsReached(now) }
    // While the owner takes nothing, an FTP server cannot be late.
    if easy.run.kind == .ftp, easy.run.isReceivingPaused { return setDeadline(.distantFuture, of: easy) }
    if let turn = easy.overdueTurn, turn != reactor.turn {
      easy.questionIsUnanswered()
      finish(easy, CURLE_OPERATION_TIMEDOUT)
    } else {
      // The loop may have been busy, and the reply be there already: it gets another turn to read it.
      easy.overdueTurn = reactor.turn
      easy.deadline = now.advanced(by: .milliseconds(20))
    }
  }

  func deadlineIsReached(_ now: MonotonicInstant) {
    if timed > 0 {
      for easy in running where easy.deadline <= now { deadlineIsReached(of: easy, now) }
    }
    if let curl, curlDeadline <= now {
      curlDeadline = .distantFuture
      var count: Int32 = 0
      perform(batch.begins())
      curl_multi_socket_action(curl, CURL_SOCKET_TIMEOUT, 0, &count)
      perform(batch.ends())
      hasActed(running: count)
      countTurnsAtOnce()
      reactor.touch(self)
    }
    updateDeadline()
  }

  /// Where libcurl keeps on being due at once, it may be for a paused transfer; see EasyHandle+Readiness. Many transfers that are not paused
  /// may be why, too: so it is asked at ever longer intervals.
  private func countTurnsAtOnce() {
    guard CurlLibrary.shared.keepsReadiness, curlDeadline <= MonotonicInstant(nanoseconds: 0) else {
      turnsAtOnce = 0
      return
    }
    turnsAtOnce &+= 1
    guard turnsAtOnce >= 8, turnsAtOnce & (turnsAtOnce - 1) == 0 else { return }
    for easy in running { easy.forgetReadiness() }
  }

  func setCurlDeadline(_ milliseconds: Int) {
    switch milliseconds {
    case ..<0: curlDeadline = .distantFuture
    case 0: curlDeadline = MonotonicInstant(nanoseconds: 0)
    default: curlDeadline = .now.advanced(by: .milliseconds(milliseconds))
    }
    updateDeadline()
  }

  func updateDeadline() {
    deadline = curlDeadline
    if timed > 0 {
      for easy in running { deadline = min(deadline, easy.deadline) }
    }
    if deadline != .distantFuture { reactor.arm(self) }
  }
}
