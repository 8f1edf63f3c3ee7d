// Safe to share: nothing changes after init.
/// What a task did: one transaction for each request, redirects and answered challenges included, and one for what a cache has answered
/// (``ResourceFetchType/localCache``). A stored response that was validated has two: that of the request with its 304, and its own. A
/// request for `http` that became one for `https`, since the host has asked for that, has one as well: of `localCache`, with a 307 that
/// nobody has sent. It is not counted as a redirect.
open class URLSessionTaskMetrics: NSObject, @unchecked Sendable {
  /// How a resource was fetched.
  @frozen public enum ResourceFetchType: Int, Sendable {
    /// Not known.
    case unknown = 0
    /// Over the network, or from whatever else the scheme loads.
    case networkLoad = 1
    /// The server pushed it.
    case serverPush = 2
    /// From the cache.
    case localCache = 3
  }

  /// How a host name was resolved.
  @frozen public enum DomainResolutionProtocol: Int, Sendable {
    /// Not known, or not resolved.
    case unknown = 0
    /// DNS over UDP.
    case udp = 1
    /// DNS over TCP.
    case tcp = 2
    /// DNS over TLS.
    case tls = 3
    /// DNS over HTTPS.
    case https = 4
  }

  /// One entry for each request that was made, in their order.
  open var transactionMetrics: [URLSessionTaskTransactionMetrics] { transactions }
  private let transactions: [URLSessionTaskTransactionMetrics]

  /// From the task's creation to its completion.
  open var taskInterval: DateInterval { interval }
  private let interval: DateInterval

  /// How many redirects the task followed.
  open var redirectCount: Int { redirects }
  private let redirects: Int

  /// Makes metrics that say nothing. There for subclasses.
  public override init() {
    transactions = []
    interval = DateInterval()
    redirects = 0
  }

  init(transactionMetrics: [URLSessionTaskTransactionMetrics], taskInterval: DateInterval, redirectCount: Int) {
    transactions = transactionMetrics
    interval = taskInterval
    redirects = redirectCount
  }

  open override var description: String {
    "<\(type(of: self))> { duration: \(taskInterval.duration) s, redirects: \(redirectCount), transactions: "
      + "\(transactionMetrics) }"
  }
}
