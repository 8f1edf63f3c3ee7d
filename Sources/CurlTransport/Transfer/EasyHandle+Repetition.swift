import Glibc
internal import URLLoadingCCurl
internal import URLLoadingCLinux

/// Whether a request may be sent again, by libcurl or by the transfer's owner.
extension EasyHandle {
  /// Whether the request is about to be sent again because its connection ended, and must not be. The transfer is to be ended then.
  func refusesRepetition() -> Bool {
    guard run.kind == .http, run.sentRequests > 0, !run.isAnswered, let repetition, !repetition.isAllowed else {
      return false
    }
    if run.fate.isRefused, !run.fate.isRepetition { return false }
    run.failureReason = run.fate.isRefused ? .refused : .notRepeated(method: repetition.method)
    isOfOneTransfer = true
    return true
  }

  /// Decides whether the request of a failed transfer may be retried.
  func judgeRepetition(_ failure: inout TransferFailure) {
    if failure.reason == .closedBefore { failure.isRepeatable = true }
    guard run.failureReason == nil, run.kind == .http, let repetition else { return }
    let hasLostAnswer = !run.hasHead && failure.hasLostAnswer(words: String(cString: errorBuffer))
    guard failure.hasNoResponse || hasLostAnswer else { return }
    guard run.fate.isRefused || hasLostAnswer || failure.isOfStaleConnection || lostMultiplexing(failure) else {
      return
    }
    let isAllowed = run.fate.isRefused ? !run.fate.isRepetition || repetition.isAllowed : repetition.isAllowed
    guard !isAllowed || hasLostAnswer else { return failure.isRepeatable = true }
    var refusal = TransferFailure(
      hasLostAnswer ? .lostAnswer : run.fate.isRefused ? .refused : .notRepeated(method: repetition.method))
    refusal.isRepeatable = isAllowed
    refusal.curlCode = failure.curlCode
    refusal.metrics = failure.metrics
    failure = refusal
  }

  /// Whether a connection of HTTP/2 was lost, be it new, as to a server that is about to stop. Before 8.23 the code for that was HTTP2 alone.
  /// An alert of TLS says more than that.
  private func lostMultiplexing(_ failure: borrowing TransferFailure) -> Bool {
    guard failure.urlErrorCode == .networkConnectionLost,
      failure.curlCode == Int(CURLE_SEND_ERROR.rawValue) || failure.curlCode == Int(CURLE_RECV_ERROR.rawValue)
    else { return false }
    return place.map { multi?.isMultiplexing(at: $0) == true } ?? false
  }

  /// Whether the request may be sent a second time, as far as its method and what was sent of it say.
  var mayBeRepeated: Bool { repetition?.isAllowed ?? false }

  private var repetition: Repetition? {
    shape.map {
      Repetition(
        method: $0.method, mayHaveBeenTaken: !run.fate.isUnsent && ccurl_get_long(curl, CURLINFO_REQUEST_SIZE) > 0,
        isOfOne: run.transfer?.request.isSentOnce == true)
    }
  }

  /// Whether the request was about to be the next one of a connection that its other end has closed. Then it goes to another one. Over
  /// HTTP/1.1 whoever sends it there leaves to chance whether a body can be sent again, and whether the request was carried out; a request
  /// without a body, of an idempotent method, is sent again by libcurl. Over HTTP/2 libcurl keeps the connection for the next request, too.
  @inline(never) func isClosed(on ports: PortPair) -> Bool {
    guard run.kind == .http, run.sentRequests == 0, run.openedSocket == nil, let shape else { return false }
    // POLLRDHUP, which Swift's Glibc lacks, has the same value.
    let events = Int16(truncatingIfNeeded: EPOLLRDHUP.rawValue)
    var descriptor = pollfd(fd: ccurl_get_active_socket(curl), events: events, revents: 0)
    guard descriptor.fd >= 0, poll(&descriptor, 1, 0) > 0 else { return false }
    if multi?.isMultiplexed(ports) == true || TLSInspector.protocolName(of: curl) == "h2" {
      // What others wait for may have come, and libcurl closes the connection behind the last of them.
      guard descriptor.revents & Int16(POLLHUP) != 0, multi?.hasOthers(than: self, on: ports) != true else {
        return false
      }
      set(CURLOPT_FORBID_REUSE, 1)
      isOfOneTransfer = true
    } else if run.body == nil, Repetition.isIdempotent(shape.method) {
      return false
    }
    run.failureReason = .closedBefore
    return true
  }
}
