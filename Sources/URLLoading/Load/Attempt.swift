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

  /// The request as the instance gets it; nil for a task that no session made.
  var request: URLRequest?
  var protocolClass: URLProtocol.Type?
  /// Calls the instance, and has its gate; nil before there is one, and after the end.
  var driver: ProtocolDriver?
  var retained: [Event] = []
  /// What the instance has sent ahead of its response.
  var held = Data()

  // The stages of this hop.
  var cookies: CookieStage
  var listenerFields = ListenerFields()
  /// Nil where the session does not wait for connectivity.
  @Boxed var network: NetworkWait?
  /// The first byte that was asked for, of a resumed download's range.
  var rangeOffset: Int64?
  var cache = CacheStage()
  var credentials = CredentialStage()

  /// What a response does to a cache that the attempt has asked.
  func cacheUpdate(of cache: URLCache, _ caching: AttemptCaching) -> CacheUpdate {
    CacheUpdate(cache: cache, caching: caching, request: request, isAuthorized: credentials.isAuthorized)
  }

  init(request: URLRequest?, cookies: CookieStage = CookieStage()) {
    self.request = request
    self.cookies = cookies
  }
}
