internal import URLLoadingBase
// SOCK_STREAM is this module's where it is the first one loaded that has it.
internal import URLLoadingCLinux

/// Finds out why a name was not found, which libcurl does not tell: there is no such name, or no name service could be reached.
///
/// The name is looked up again; concurrent checks of a name are coalesced.
///
/// Mutable state: `asking`, guarded by its lock.
final class NameServiceCheck: Sendable {
  static let shared = NameServiceCheck()

  /// A lookup without an answer takes some ten seconds (resolv.conf(5)).
  private static let pool = BlockingPool(name: "URLLoading names", maximumThreadCount: 8)

  private let asking = Locked<[String: [@Sendable (Bool) -> Void]]>([:])

  /// - Parameter answer: gets whether no name service could be reached, on a thread of a pool.
  func ask(about host: String, _ answer: @escaping @Sendable (Bool) -> Void) {
    let isFirst = asking.withLock { asking in
      defer { asking[host, default: []].append(answer) }
      return asking[host] == nil
    }
    guard isFirst else { return }
    Self.pool.run {
      let lacksService = Self.lacksService(lookingUp: host)
      let answers = self.asking.withLock { $0.removeValue(forKey: host) ?? [] }
      for answer in answers { answer(lacksService) }
    }
  }

  private static func lacksService(lookingUp host: String) -> Bool {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, &hints, &list)
    if let list { freeaddrinfo(list) }
    switch code {
    // Also what a service of this machine says that reaches no other.
    case EAI_AGAIN: return true
    // Found by now: the service has come back. But names of Tor are looked up nowhere by libcurl (RFC 7686).
    case 0: return !host.lowercased().hasSuffix(".onion")
    default: return false
    }
  }
}
