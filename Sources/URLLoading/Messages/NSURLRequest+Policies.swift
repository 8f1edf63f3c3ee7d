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
    /// Data that a user waits for.
    case responsiveData = 6
    /// Streamed audio and video.
    case avStreaming = 8
    /// Interactive audio and video.
    case responsiveAV = 9
    /// The signalling of calls.
    case callSignaling = 11

    /// The older name of `callSignaling`.
    public static var networkServiceTypeCallSignaling: NetworkServiceType { .callSignaling }
  }

  /// Who caused a request. Raw values are Apple's.
  @frozen public enum Attribution: UInt, Sendable {
    /// The program.
    case developer = 0
    /// The user, who gave the URL.
    case user = 1
  }
}
