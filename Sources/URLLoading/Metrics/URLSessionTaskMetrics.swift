import Foundation

// Safe to share: nothing changes after init.
/// What a task did on the network: one transaction for each request, redirects and challenges included.
open class URLSessionTaskMetrics: NSObject, @unchecked Sendable {
  /// How a resource was fetched.
  public enum ResourceFetchType: Int, Sendable {
    /// Nobody said.
    case unknown = 0
    /// Over the network, or from whatever else the scheme loads.
    case networkLoad = 1
    /// The server pushed it.
    case serverPush = 2
    /// From the cache.
    case localCache = 3
  }

  /// How a host name was resolved.
  public enum DomainResolutionProtocol: Int, Sendable {
    /// Nobody said, or there was no need.
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
  public let transactionMetrics: [URLSessionTaskTransactionMetrics]

  /// From the task's creation to its completion.
  public let taskInterval: DateInterval

  /// How many redirects the task followed.
  public let redirectCount: Int

  init(transactionMetrics: [URLSessionTaskTransactionMetrics], taskInterval: DateInterval, redirectCount: Int) {
    self.transactionMetrics = transactionMetrics
    self.taskInterval = taskInterval
    self.redirectCount = redirectCount
  }

  open override var description: String {
    "<\(type(of: self))> { duration: \(taskInterval.duration) s, redirects: \(redirectCount), transactions: "
      + "\(transactionMetrics) }"
  }
}
