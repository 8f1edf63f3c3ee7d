internal import URLLoadingBase
internal import URLLoadingCurlTransport

/// The proxies that could not be reached recently: they are tried last, so that not every load waits for their timeout. A value without a
/// clock.
struct UnreachableProxies: Sendable {
  static let memory = Duration.seconds(60)
  private static let limit = 32

  private var known: [(proxy: ProxyServer, until: MonotonicInstant)] = []

  mutating func record(_ proxy: ProxyServer, at now: MonotonicInstant) {
    known.removeAll { $0.until <= now || $0.proxy == proxy }
    if known.count == Self.limit { known.removeFirst() }
    known.append((proxy, now.advanced(by: Self.memory)))
  }

  /// The same candidates, those at the end that are not worth a try at the moment. All else keeps its order, direct connections too.
  func sorted(_ candidates: [ProxyServer?], at now: MonotonicInstant) -> [ProxyServer?] {
    guard !known.isEmpty else { return candidates }
    func isUnreachable(_ candidate: ProxyServer?) -> Bool {
      guard let candidate else { return false }
      return known.contains { now < $0.until && $0.proxy == candidate }
    }
    let unreachable = candidates.filter(isUnreachable)
    // A direct connection that the script has last is for want of all proxies: it stays after them.
    let isLastDirect = candidates.count > 1 && candidates.last == .some(nil)
    let reachable = candidates.filter { !isUnreachable($0) }
    guard isLastDirect, !unreachable.isEmpty else { return reachable + unreachable }
    let hasProxies = reachable.contains { $0 != nil }
    return hasProxies ? reachable.dropLast() + unreachable + [nil] : reachable + unreachable
  }
}
