import URLLoading
internal import URLLoadingBase

/// What `-v` shows: the connection, requests and responses in the order in which they were on the wire, redirects, times.
///
/// Mutable state: `pending`, guarded by its lock.
final class ConversationLog: URLSession.EventListener {
  private let console: Console
  private let showsSecrets: Bool
  /// The requests that wait for a response, where no head of theirs is told.
  private let pending = Locked<[Int: URLRequest]>([:])

  init(console: Console, showsSecrets: Bool) {
    self.console = console
    self.showsSecrets = showsSecrets
  }

  private func say(_ lines: [String], _ mark: String = "*") {
    for line in lines { console.line(line.isEmpty ? mark : "\(mark) \(line)") }
  }

  private func text(_ url: URL?) -> String {
    guard let url else { return "nowhere" }
    return showsSecrets ? url.absoluteString : SafeText.url(url)
  }

  func task(_ task: URLSessionTask, didChoose protocolClass: URLProtocol.Type, for request: URLRequest) {
    pending.withLock { $0[task.taskIdentifier] = request }
  }

  func task(_ task: URLSessionTask, didConnect interval: DateInterval, transaction: URLSessionTaskTransactionMetrics) {
    let address = transaction.remoteAddress.map { "\($0)\(transaction.remotePort.map { " port \($0)" } ?? "")" }
    let way = transaction.isProxyConnection ? ", a proxy" : ""
    say(["connected to \(address ?? text(transaction.request.url))\(way)"])
  }

  func task(
    _ task: URLSessionTask, didSecureConnection interval: DateInterval, transaction: URLSessionTaskTransactionMetrics
  ) {
    guard let version = transaction.negotiatedTLSProtocolVersion else { return say(["keys exchanged"]) }
    let suite = transaction.negotiatedTLSCipherSuite.map { String(format: ", cipher suite 0x%04x", $0.rawValue) } ?? ""
    say(["\(Self.name(of: version))\(suite)"])
  }

  private static func name(of version: tls_protocol_version_t) -> String {
    "TLS 1.\(Int(version.rawValue & 0xFF) - 1)"
  }

  func task(_ task: URLSessionTask, didReuseConnection transaction: URLSessionTaskTransactionMetrics) {
    say(["connection used again"])
  }

  func task(_ task: URLSessionTask, didSendRequest date: Date, transaction: URLSessionTaskTransactionMetrics) {
    tell(transaction.sentRequestHead, of: task)
  }

  /// Shows the request once, as it was sent or as it is.
  private func tell(_ head: String?, of task: URLSessionTask) {
    guard let request = pending.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
    let lines =
      head.map { HeadText.lines(ofSent: $0, showsSecrets: showsSecrets) }
      ?? HeadText.lines(of: request, showsSecrets: showsSecrets)
    say(lines + [""], ">")
  }

  func task(_ task: URLSessionTask, didReceiveInformational response: HTTPURLResponse) {
    tell(nil, of: task)
    say(HeadText.lines(of: response, showsSecrets: showsSecrets) + [""], "<")
  }

  func task(_ task: URLSessionTask, didReceive response: URLResponse) {
    tell(nil, of: task)
    say(HeadText.lines(of: response, showsSecrets: showsSecrets) + [""], "<")
  }

  func task(
    _ task: URLSessionTask, didRedirect response: URLResponse, to proposed: URLRequest, following request: URLRequest?
  ) {
    tell(nil, of: task)
    say(HeadText.lines(of: response, showsSecrets: showsSecrets) + [""], "<")
    say([request.map { "redirected to \(text($0.url))" } ?? "the redirect to \(text(proposed.url)) is not followed"])
  }

  func task(_ task: URLSessionTask, willRetry reason: URLSession.EventRetryReason) {
    say(["sent again: \(reason.rawValue.replacing("-", with: " "))"])
  }

  func task(_ task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge) {
    let space = challenge.protectionSpace
    guard space.serverTrust == nil else { return }
    say([
      "\(space.host) asks for a login (\(space.authenticationMethod.replacing("NSURLAuthenticationMethod", with: "")))"
    ])
  }

  func task(_ task: URLSessionTask, didEnd outcome: URLSession.EventOutcome, metrics: URLSessionTaskMetrics) {
    tell(metrics.transactionMetrics.last?.sentRequestHead, of: task)
    for transaction in metrics.transactionMetrics {
      for line in TimingText.lines(of: transaction) { console.line(line) }
    }
  }
}
