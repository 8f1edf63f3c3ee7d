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
    guard run.fate.isRefused || hasLostAnswer || failure.isOfStaleConnection else { return }
    let isAllowed = run.fate.isRefused ? !run.fate.isRepetition || repetition.isAllowed : repetition.isAllowed
    guard !isAllowed || hasLostAnswer else { return failure.isRepeatable = true }
    var refusal = TransferFailure(
      hasLostAnswer ? .lostAnswer : run.fate.isRefused ? .refused : .notRepeated(method: repetition.method))
    refusal.isRepeatable = isAllowed
    refusal.curlCode = failure.curlCode
    refusal.metrics = failure.metrics
    failure = refusal
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

  /// Whether the request was about to be the next one of a connection of HTTP/1.1 whose other end has closed it. Then it goes to another
  /// one: whoever sends it there leaves to chance whether a body can be sent again, and whether the request was carried out. Any other
  /// request is sent again by libcurl.
  func isClosed(on ports: PortPair) -> Bool {
    guard CurlLibrary.shared.reusesClosedConnections, run.kind == .http, run.sentRequests == 0, run.openedSocket == nil,
      let shape, run.body != nil || !Repetition.isIdempotent(shape.method), multi?.isMultiplexed(ports) != true
    else { return false }
    // POLLRDHUP, which Swift's Glibc lacks, has the same value.
    let events = Int16(truncatingIfNeeded: EPOLLRDHUP.rawValue)
    var descriptor = pollfd(fd: ccurl_get_active_socket(curl), events: events, revents: 0)
    guard descriptor.fd >= 0, poll(&descriptor, 1, 0) > 0 else { return false }
    run.failureReason = .closedBefore
    return true
  }
}
