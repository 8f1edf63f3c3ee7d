import Logging
import URLLoading
internal import URLLoadingHTTPSemantics

/// What an event is about, for a logger: without secrets, unless they are asked for.
struct EventMetadata {
  private(set) var values: Logger.Metadata
  private let includesSecrets: Bool

  init(_ task: URLSessionTask, includesSecrets: Bool) {
    self.includesSecrets = includesSecrets
    values = ["task": "\(task.taskIdentifier)"]
    if let label = task.taskDescription { values["label"] = "\(label)" }
  }

  subscript(name: String) -> Logger.MetadataValue? {
    get { values[name] }
    set { values[name] = newValue }
  }

  /// A URL: on one line, as errors have it.
  func text(of url: URL?) -> Logger.MetadataValue {
    "\(url.map { includesSecrets ? $0.absoluteString : $0.redactedDescription } ?? "none")"
  }

  mutating func record(_ request: URLRequest?) {
    values["method"] = "\(request?.httpMethod ?? "GET")"
    values["url"] = text(of: request?.url)
  }

  mutating func record(_ response: URLResponse) {
    values["url"] = text(of: response.url)
    if let http = response as? HTTPURLResponse { values["status"] = "\(http.statusCode)" }
    if let type = response.mimeType { values["type"] = "\(type)" }
    if response.expectedContentLength >= 0 { values["length"] = "\(response.expectedContentLength)" }
  }

  mutating func record(_ error: any Error) {
    let error = error as NSError
    values["error"] = "\(includesSecrets ? error.localizedDescription : Redaction.error(error))"
    values["code"] = "\(error.domain) \(error.code)"
  }

  mutating func record(_ interval: DateInterval) { values["duration"] = Self.seconds(interval.duration) }

  mutating func recordPeer(of metrics: URLSessionTaskTransactionMetrics) {
    if let address = metrics.remoteAddress { values["address"] = "\(address)" }
    if let port = metrics.remotePort { values["port"] = "\(port)" }
    if metrics.isProxyConnection { values["proxy"] = "true" }
    if let name = metrics.networkProtocolName { values["protocol"] = "\(name)" }
  }

  mutating func recordTLS(of metrics: URLSessionTaskTransactionMetrics) {
    if let version = metrics.negotiatedTLSProtocolVersion { values["tls"] = "\(version)" }
    if let suite = metrics.negotiatedTLSCipherSuite { values["cipher"] = "\(suite)" }
  }

  mutating func record(_ challenge: URLAuthenticationChallenge) {
    let space = challenge.protectionSpace
    values["method"] = "\(space.authenticationMethod)"
    values["host"] = "\(space.host):\(space.port)"
    if let realm = space.realm { values["realm"] = "\(realm)" }
    values["failures"] = "\(challenge.previousFailureCount)"
  }

  mutating func record(_ metrics: URLSessionTaskMetrics, of task: URLSessionTask) {
    record(task.currentRequest ?? task.originalRequest)
    if let http = task.response as? HTTPURLResponse { values["status"] = "\(http.statusCode)" }
    values["duration"] = Self.seconds(metrics.taskInterval.duration)
    values["requests"] = "\(metrics.transactionMetrics.count)"
    values["received"] = "\(task.countOfBytesReceived)"
    if task.countOfBytesSent > 0 { values["sent"] = "\(task.countOfBytesSent)" }
    if metrics.redirectCount > 0 { values["redirects"] = "\(metrics.redirectCount)" }
  }

  private static func seconds(_ duration: TimeInterval) -> Logger.MetadataValue {
    "\((duration * 1e6).rounded() / 1e6)"
  }
}
