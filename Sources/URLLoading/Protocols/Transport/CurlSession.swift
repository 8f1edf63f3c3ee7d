internal import URLLoadingBase
internal import URLLoadingCurlTransport
internal import URLLoadingX509

/// The connections of one session, for the protocol classes that libcurl moves bytes for.
///
/// Mutable state: `identities` and `copying`, guarded by their locks.
final class CurlSession: URLSessionComponent {
  let engine: TransferEngine

  /// Connections for what copies store: those of ``engine`` may all be held by loads that wait until it is stored.
  private let copying = Locked<(engine: TransferEngine?, isOver: Bool)>((nil, false))
  private let configuration: TransferEngineConfiguration

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
    proxies = configuration.network.unixSocketPath == nil ? ProxyResolution(configuration) : nil
    let loop = EventLoop.shared
    _ = loop.start()
    let engineConfiguration = TransferEngineConfiguration(configuration)
    engine = TransferEngine(configuration: engineConfiguration, loop: loop)
    self.configuration = engineConfiguration
    authorities = engineConfiguration.tls.authorities
    typeOfService = configuration.networkServiceType.differentiatedServicesCodePoint.map { $0 << 2 }
  }

  /// The connections for a request with this body.
  func engine(for body: URLUploadBody?) -> TransferEngine {
    guard case .stream(let stream, _)? = body, stream is PipedInputStream else { return engine }
    return copying.withLock { state in
      guard !state.isOver else { return engine }
      let made = state.engine ?? TransferEngine(configuration: configuration, loop: .shared)
      state.engine = made
      return made
    }
  }

  func flush() {
    copying.withLock { $0.engine }?.closeIdleConnections()
    identities.withLock { $0 = [:] }
    engine.closeIdleConnections()
    proxies?.flush()
  }

  func invalidate() {
    engine.shutdown()
    let other = copying.withLock { state in
      state.isOver = true
      return state.engine.take()
    }
    other?.shutdown()
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
