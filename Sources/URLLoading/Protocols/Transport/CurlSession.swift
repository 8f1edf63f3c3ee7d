internal import URLLoadingBase
internal import URLLoadingCurlTransport
internal import URLLoadingX509

/// The connections of one session, for the protocol classes that libcurl moves bytes for.
///
/// Mutable state: `identities`, guarded by its lock.
final class CurlSession: URLSessionComponent {
  let engine: TransferEngine

  /// Resolves the proxies of loads; nil where the engine does that by itself.
  let proxies: ProxyResolution?

  /// The roots that servers are verified by.
  let authorities: TrustedAuthorities

  /// The identities that were given for servers, and are to be used again.
  let identities = Locked<[IdentityKey: ClientIdentity]>([:])

  /// The DSCP of connections, shifted into the byte that IP carries it in; nil for the system's.
  let typeOfService: UInt8?

  init(configuration: URLSessionConfiguration) {
    // First, so that the library behind the system's settings is opened, and the loop's thread starts, while the rest is made.
    proxies = ProxyResolution(configuration)
    let loop = EventLoop.shared
    _ = loop.start()
    let engineConfiguration = TransferEngineConfiguration(configuration)
    engine = TransferEngine(configuration: engineConfiguration, loop: loop)
    authorities = engineConfiguration.tls.authorities
    typeOfService = configuration.networkServiceType.differentiatedServicesCodePoint.map { $0 << 2 }
  }

  func flush() {
    identities.withLock { $0 = [:] }
    engine.closeIdleConnections()
    proxies?.flush()
  }

  func invalidate() {
    engine.shutdown()
    proxies?.invalidate()
  }
}

extension NSURLRequest.NetworkServiceType {
  /// The code point for this kind of traffic: RFC 4594, section 2.3, and RFC 8622 for what may wait.
  var differentiatedServicesCodePoint: UInt8? {
    switch self {
    case .voice, .voip: 46
    case .video: 34
    case .networkServiceTypeCallSignaling: 40
    case .background: 1
    case .default: nil
    }
  }
}
