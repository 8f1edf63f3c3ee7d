internal import URLLoadingBase
internal import URLLoadingCCurl

/// When libcurl, transfers that are drained, and replies of FTP servers want the loop's next turn.
extension MultiHandle {
  /// Lets a transfer without a handler finish, until `deadline`.
  func drain(_ easy: EasyHandle, until deadline: MonotonicInstant) {
    draining += 1
    easy.drainDeadline = deadline
    updateDeadline()
  }

  /// Waits for the reply to SIZE or MDTM until `deadline`.
  func beginQuestion(of easy: EasyHandle, until deadline: MonotonicInstant) {
    if easy.replyDeadline == .distantFuture { asking += 1 }
    easy.replyDeadline = deadline
    easy.overdueTurn = nil
    updateDeadline()
  }

  /// The reply has come, or the transfer is over.
  func endQuestion(of easy: EasyHandle) {
    guard easy.replyDeadline != .distantFuture else { return }
    easy.replyDeadline = .distantFuture
    easy.overdueTurn = nil
    asking -= 1
  }

  /// Fails transfers whose reply did not come in time.
  private func endOverdueQuestions(_ now: MonotonicInstant) {
    for easy in running where easy.replyDeadline <= now {
      if let turn = easy.overdueTurn, turn != reactor.turn {
        easy.questionIsUnanswered()
        finish(easy, CURLE_OPERATION_TIMEDOUT)
      } else {
        // The loop may have been busy, and the reply be there already: it gets another turn to read it.
        easy.overdueTurn = reactor.turn
        easy.replyDeadline = now.advanced(by: .milliseconds(20))
      }
    }
  }

  func deadlineIsReached(_ now: MonotonicInstant) {
    if draining > 0 {
      for easy in running where easy.drainDeadline <= now { release(easy) }
    }
    if asking > 0 { endOverdueQuestions(now) }
    if let curl, curlDeadline <= now {
      curlDeadline = .distantFuture
      var count: Int32 = 0
      perform(batch.begins())
      noteWrittenBytes()
      curl_multi_socket_action(curl, CURL_SOCKET_TIMEOUT, 0, &count)
      perform(batch.ends())
      deliverCoalesced()
      reactor.touch(self)
    }
    updateDeadline()
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
    if draining > 0 {
      for easy in running { deadline = min(deadline, easy.drainDeadline) }
    }
    if asking > 0 {
      for easy in running { deadline = min(deadline, easy.replyDeadline) }
    }
    if deadline != .distantFuture { reactor.arm(self) }
  }
}
