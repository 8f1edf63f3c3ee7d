internal import URLLoadingCurlTransport
internal import URLLoadingHTTPSemantics

/// The way of one request to its server: by HTTP/3, or by TCP. A value without I/O.
///
/// A request goes by one way at a time, so that a connection's judgement is asked once and nothing is sent twice: what is begun by QUIC
/// has ended before it begins by TCP.
struct HTTPRoute: Equatable, Sendable {
  /// Where a request's datagrams go.
  struct QUICTarget: Equatable, Sendable {
    let origin: HTTPOrigin
    let endpoint: HTTPOrigin
    /// Whether the origin has announced it.
    var isAnnounced = false
    /// Whether TCP is no way for it.
    var isOnlyWay = false
  }

  /// What follows a failure.
  enum FailureAction: Equatable {
    /// It is the request's.
    case fail
    /// The request begins by TCP.
    /// - Parameter repeats: whether it may have reached the server, and is sent a second time.
    case beginByTCP(repeats: Bool)
  }

  private enum State: Equatable {
    case unknown
    case tcp
    case quic(QUICTarget)
  }

  private var state = State.unknown

  init() {}

  /// Where the datagrams of the next transfer go; nil for none.
  var target: QUICTarget? {
    if case .quic(let target) = state { target } else { nil }
  }

  /// Whether a way was taken before.
  var isChosen: Bool { state != .unknown }

  /// The request begins by HTTP/3.
  mutating func begin(to target: QUICTarget) { state = .quic(target) }

  /// The transfer has failed.
  /// - Parameters:
  ///   - fault: nil for what would fail by TCP as well, as a certificate does.
  ///   - isRepeatable: whether nothing of a response came, and the request may be sent twice.
  mutating func failed(by fault: QUICFault?, isRepeatable: Bool) -> FailureAction {
    guard case .quic(let target) = state, !target.isOnlyWay, let fault else { return .fail }
    // Of all others nothing was sent.
    if fault == .pathLost, !isRepeatable { return .fail }
    state = .tcp
    return .beginByTCP(repeats: fault == .pathLost)
  }
}
