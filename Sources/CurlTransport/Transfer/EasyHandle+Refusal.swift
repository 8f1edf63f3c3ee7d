internal import URLLoadingCCurl

/// What is known of a request's stream.
struct StreamFate {
  /// libcurl's log is read.
  var isHeard = false
  /// There is no answer, and only a refusal allows the request to be repeated.
  var isFollowed = false
  var number: UInt32?
  /// The server has not looked at the request.
  var isRefused = false
  /// The request was repeated because the server had refused it.
  var isRepetition = false
  /// What was written to its connection, and how often before the request.
  var writes: SessionWrites?
  var earlierWrites = 0

  /// Nothing of the request has left.
  var isUnsent: Bool { writes?.hasDroppedAll(since: earlierWrites) ?? false }
}

/// Requests that a server has refused unprocessed, and that may be repeated whatever their method (RFC 9113, sections 6.8 and 8.7).
///
/// No code and no information of libcurl tells them, only its log, and that not always. RST_STREAM with REFUSED_STREAM: 8.21 always,
/// 7.88 and 8.14 for the first request of a connection alone. GOAWAY: all of them, to the transfer that happens to read it. So the log of
/// all transfers is read while a request waits that nothing else allows to repeat. What the log does not tell is not known.
extension EasyHandle {
  /// A request is about to be sent.
  func followStream(on ports: PortPair) {
    if run.fate.isRefused { run.fate.isRepetition = true }
    run.fate.isRefused = false
    run.fate.number = nil
    run.fate.writes = multi?.writes(on: ports)
    run.fate.earlierWrites = run.fate.writes?.count ?? 0
    guard run.kind == .http, let shape, shape.isHTTPS, let multi, multi.isMultiplexed(ports) else { return }
    if !run.fate.isFollowed, !Repetition.isIdempotent(shape.method) {
      run.fate.isFollowed = true
      multi.follows(1)
    }
    if multi.followedRequests > 0 { hear(true) }
  }

  /// An answer has come, or the transfer is over.
  func leaveStream() {
    guard run.fate.isFollowed else { return }
    run.fate.isFollowed = false
    multi?.follows(-1)
  }

  /// Reads libcurl's log, or stops that.
  func hear(_ isOn: Bool) {
    guard run.fate.isHeard != isOn, run.kind == .http, shape?.isHTTPS == true else { return }
    run.fate.isHeard = isOn
    updateLogging()
  }

  func logged(_ line: UnsafeRawBufferPointer) {
    guard run.fate.isHeard, let news = StreamNews(line) else { return }
    switch news {
    case .opened(let number): run.fate.number = number
    case .refused: run.fate.isRefused = true
    case .goesAway(let last):
      // libcurl may look whether another connection can be used.
      guard let ports = run.ports, let multi, let session = multi.session(on: ports),
        session == TLSInspector.session(of: curl)
      else { return }
      multi.serverGoesAway(on: ports, last: last)
    }
  }
}
