internal import URLLoadingCurlTransport

/// The proxies that a load may go through, the first choice first, and where it is among them. A value without I/O.
struct ProxyRoute: Sendable, Equatable {
  /// Nil stands for a direct connection.
  let candidates: [ProxyServer?]
  private var index = 0

  /// - Parameter candidates: at most 16 of them count; none means a direct connection.
  init(_ candidates: [ProxyServer?]) {
    self.candidates = candidates.isEmpty ? [nil] : Array(candidates.prefix(16))
  }

  /// The proxy that the load goes through now; nil for a direct connection.
  var current: ProxyServer? { candidates[index] }

  var choice: ProxyChoice { current.map { .through($0) } ?? .direct }

  var hasAlternative: Bool { index + 1 < candidates.count }

  /// Goes on to the next candidate.
  /// - Returns: false when there is none.
  mutating func advance() -> Bool {
    guard hasAlternative else { return false }
    index += 1
    return true
  }
}

extension TransferRequest {
  /// Uses the current proxy of a route.
  mutating func take(_ route: ProxyRoute) {
    proxy = route.choice
    hasAlternative = route.hasAlternative
  }
}
