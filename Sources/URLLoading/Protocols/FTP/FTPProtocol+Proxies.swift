internal import URLLoadingCurlTransport

extension FTPProtocol: ProxiedProtocol {
  var proxiedURL: URL? { request.url }
  var isStopped: Bool { state.withLock { $0.isStopped } }

  func withProxies<Result>(_ body: (inout ProxyAttempt) -> Result) -> Result {
    state.withLock { body(&$0.proxies) }
  }

  func tell(_ failure: TransferFailure) { tell(failure, isDirectory: false) }
  func record(refusal: TransferFailure) { state.withLock { $0.refusal = refusal } }
}
