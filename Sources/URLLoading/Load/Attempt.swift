internal import URLLoadingBase

/// One try of a load: the request of this hop, the class and the instance that load it, and what belongs to them alone. A redirect
/// makes another one, and so do a resumed download that starts over, and a change of the network that was waited for.
struct Attempt {
  /// Events of the instance that are retained while a redirect or a challenge is undecided; the machine says which.
  enum Event {
    case response(URLResponse)
    case data(Data)
    case entries([URLDirectoryEntry])
    case finished
    case failed(any Error)
  }

  /// The state of an attempt that may wait for connectivity.
  struct Network {
    /// Changes before it began.
    let changes: UInt64
    /// Starts the next attempt, when this one could not connect.
    var waiter: NetworkChanges.Waiter?
  }

  /// The request as the instance gets it; nil for a task that no session made.
  var request: URLRequest?
  var cookies: CookieStage
  var protocolClass: URLProtocol.Type?
  /// Calls the instance, and has its gate; nil before there is one, and after the end.
  var driver: ProtocolDriver?
  /// The first byte that was asked for, of a resumed download's range.
  var rangeOffset: Int64?
  /// Nil where the cache has nothing to do with the attempt.
  var caching: AttemptCaching?
  /// Stores the response that comes.
  var recorder: CacheRecorder?
  /// What follows when the instance has finished; nil where its response is for the program.
  var cacheEnd: AttemptCaching.End?
  /// Whether the instance sends what a cache has stored.
  var isStored = false
  /// Whether what the instance sends is for the cache alone.
  var isWithheld: Bool { cacheEnd != nil }
  /// Whether a credential is sent that the request does not show.
  var isAuthorized = false
  /// The credential that answered the last challenge, to be stored if it is accepted.
  var credential: (space: URLProtectionSpace, credential: URLCredential)?
  var retained: [Event] = []
  /// What the instance has sent ahead of its response.
  var held = Data()
  /// Nil where the session does not wait for connectivity.
  @Boxed var network: Network?

  /// Removes the attempt's cache state, to release it outside locks.
  mutating func takeCaching() -> (AttemptCaching?, CacheRecorder?) {
    defer { (caching, recorder) = (nil, nil) }
    return (caching, recorder)
  }

  init(request: URLRequest?, cookies: CookieStage = CookieStage()) {
    self.request = request
    self.cookies = cookies
  }
}
