extension NSURLRequest {
  /// How a load uses the cache.
  @frozen public enum CachePolicy: UInt, Sendable {
    /// As the protocol says; for HTTP, RFC 9111.
    case useProtocolCachePolicy = 0
    /// Load from the source, whatever the cache has.
    case reloadIgnoringLocalCacheData = 1
    /// Take what the cache has, however old; load only if it has nothing.
    case returnCacheDataElseLoad = 2
    /// Take what the cache has, however old; fail if it has nothing.
    case returnCacheDataDontLoad = 3
    /// Load from the source, and ask caches on the way not to answer either.
    case reloadIgnoringLocalAndRemoteCacheData = 4
    /// Use what the cache has if the source confirms it.
    case reloadRevalidatingCacheData = 5

    /// The older name of `reloadIgnoringLocalCacheData`.
    public static var reloadIgnoringCacheData: CachePolicy { .reloadIgnoringLocalCacheData }
  }

  /// What kind of traffic a request is. Raw values are Apple's.
  ///
  /// The cases are FoundationNetworking's, since switches over them have no default. What else Apple's system has stands for the nearest
  /// of them.
  @frozen public enum NetworkServiceType: UInt, Sendable {
    /// Ordinary traffic.
    case `default` = 0
    /// Control of voice over IP.
    case voip = 1
    /// Video.
    case video = 2
    /// Traffic in the background.
    case background = 3
    /// Voice.
    case voice = 4
    /// The signalling of calls.
    case networkServiceTypeCallSignaling = 11

    /// The signalling of calls.
    public static var callSignaling: NetworkServiceType { .networkServiceTypeCallSignaling }
    /// Data that a user waits for: ordinary traffic here.
    public static var responsiveData: NetworkServiceType { .default }
    /// Streamed audio and video: video here.
    public static var avStreaming: NetworkServiceType { .video }
    /// Interactive audio and video: video here.
    public static var responsiveAV: NetworkServiceType { .video }

    /// The type with one of Apple's raw values, or FoundationNetworking's for the signalling of calls (5); nil for other numbers.
    public init?(rawValue: UInt) {
      switch rawValue {
      case 0, 6: self = .default
      case 1: self = .voip
      case 2, 8, 9: self = .video
      case 3: self = .background
      case 4: self = .voice
      case 5, 11: self = .networkServiceTypeCallSignaling
      default: return nil
      }
    }
  }

  /// Who caused a request. Raw values are Apple's.
  @frozen public enum Attribution: UInt, Sendable {
    /// The program.
    case developer = 0
    /// The user, who gave the URL.
    case user = 1
  }
}
