internal import URLLoadingBase
internal import URLLoadingCurlTransport
internal import URLLoadingHTTPSemantics

/// Which requests of a session go by HTTP/3, and what their origins say of it.
///
/// Mutable state: `state`, guarded by its lock; what origins say is kept with the session's policies of transport security.
final class HTTPRoutes: URLSessionComponent {
  private struct State {
    var broken = BrokenAlternatives()
    /// As it was when `broken` was asked last.
    var networkChanges: UInt64?
  }

  /// Whether requests go by HTTP/3 to origins that have announced it. Others do where they say so themselves.
  private let followsAnnouncements: Bool
  /// Whether no request of the session goes by anything else.
  private let isOnlyWay: Bool
  private let headStart: Duration
  /// Whether all requests go to a Unix socket.
  private let isLocal: Bool
  private let state = Locked(State())

  /// Whether some requests can go by HTTP/3, or none may go by anything else.
  private let isOpen: Bool

  init(configuration: URLSessionConfiguration) {
    let settings = configuration[QUICSettings.self]
    isOnlyWay = settings.isOnlyWay
    headStart = settings.headStart
    isLocal = configuration.network.unixSocketPath != nil
    let maximum = TLSConfiguration.Version(configuration.tlsMaximumSupportedProtocolVersion)
    let allowsTLS13 = maximum.map { $0.rawValue >= TLSConfiguration.Version.v13.rawValue } ?? true
    isOpen = !settings.isOff && (isOnlyWay || TransferLibrary.speaksHTTP3 && allowsTLS13)
    followsAnnouncements = configuration.network.maximumHTTPVersion >= .http3
  }

  func flush() { state.withLock { $0.broken = BrokenAlternatives() } }

  func invalidate() {}

  /// Whether loads of a session ask for their way: what most do not is decided once.
  static func mayBeTaken(by configuration: URLSessionConfiguration) -> Bool {
    configuration.network.maximumHTTPVersion >= .http3 || configuration[QUICSettings.self].isOnlyWay
  }

  /// Why a request cannot be loaded that may not go by anything else; nil where it can.
  /// - Parameter isByTCP: whether something of it needs TCP: its scheme, a proxy, a login, a switch of protocols.
  func refusal(of url: URL?, isByTCP: Bool) -> URLError? {
    guard isOnlyWay else { return nil }
    guard TransferLibrary.speaksHTTP3 else {
      return URLError(
        .resourceUnavailable,
        message:
          "HTTP/3 needs a libcurl that has it, and \(TransferLibrary.description) has not. Debian 13 has one; Scripts/newest-libcurl brings one.",
        url: url)
    }
    guard isByTCP else { return nil }
    return URLError(
      .unsupportedURL,
      message:
        "HTTP/3 alone was asked for, and this request needs TCP. HTTP/3 has https URLs, and neither proxies, nor logins by NTLM or Negotiate, nor WebSockets.",
      url: url)
  }

  /// How a request goes to a target.
  func route(to target: HTTPRoute.QUICTarget) -> QUICRoute {
    QUICRoute(
      host: target.endpoint.host, port: target.endpoint.port,
      isElsewhere: target.endpoint.host != target.origin.host, headStart: target.isOnlyWay ? nil : headStart)
  }

  /// Whether a request may go by HTTP/3, as far as it says itself.
  func mayTake(_ request: URLRequest) -> Bool {
    isOpen && (followsAnnouncements || isOnlyWay || request.assumesHTTP3Capable)
  }

  /// Where a request's datagrams go; nil for one that goes by TCP.
  func target(for request: URLRequest, in storage: HTTPCookieStorage) -> HTTPRoute.QUICTarget? {
    guard !isLocal, mayTake(request), let origin = request.url.flatMap({ HTTPOrigin($0) }) else { return nil }
    if isOnlyWay { return HTTPRoute.QUICTarget(origin: origin, endpoint: origin, isOnlyWay: true) }
    guard !isBroken(origin) else { return nil }
    if let announced = storage.alternative(for: origin) {
      return HTTPRoute.QUICTarget(origin: origin, endpoint: announced.endpoint, isAnnounced: true)
    }
    return request.assumesHTTP3Capable ? HTTPRoute.QUICTarget(origin: origin, endpoint: origin) : nil
  }

  private func isBroken(_ origin: HTTPOrigin) -> Bool {
    let changes = NetworkChanges.shared.count
    return state.withLock { state in
      guard !state.broken.isEmpty else { return false }
      if state.networkChanges.map({ $0 != changes }) ?? false { state.broken.networkChanged() }
      state.networkChanges = changes
      return state.broken.isBroken(origin, at: .now)
    }
  }

  /// Records what the origin of a response announces. A proxy says nothing for it, nor does one whose certificate was not trusted, or was
  /// overlooked (RFC 7838, section 2.1).
  func learn(from response: HTTPURLResponse, in storage: HTTPCookieStorage) {
    guard followsAnnouncements, !isLocal, response.speaker == .verifiedOrigin else { return }
    let values = response.alternativeServices
    guard !values.isEmpty, let origin = response.url.flatMap({ HTTPOrigin($0) }) else { return }
    let age = response.fields.values(of: "Age").first.flatMap { Int64(asciiDigits: $0) } ?? 0
    storage.recordAlternatives(values.joined(separator: ","), from: origin, isVerified: true, age: age)
  }

  /// Records how it went by HTTP/3.
  /// - Parameter fault: nil for an answer.
  func record(_ fault: QUICFault?, of target: HTTPRoute.QUICTarget) {
    let changes = fault == nil ? nil : NetworkChanges.shared.count
    state.withLock { state in
      if let fault {
        state.networkChanges = state.networkChanges ?? changes
        state.broken.record(fault, of: target.origin, at: .now)
      } else if !state.broken.isEmpty {
        state.broken.recordSuccess(of: target.origin)
      }
    }
  }
}

/// For tools and tests: how far a session goes with HTTP/3.
package struct QUICSettings: URLProtocolSettings {
  /// Nothing goes by anything else.
  package var isOnlyWay = false
  /// Nothing goes by it, whatever requests say.
  package var isOff = false
  /// How long QUIC may take to connect before TCP begins; half of that where no datagram has come back. Chromium begins by TCP 300 ms after
  /// QUIC, and goes on with both.
  package var headStart = Duration.milliseconds(200)

  package init() {}
}
