internal import URLLoadingCurlTransport

/// Loads `http+unix` and `https+unix` URLs: HTTP to a server of this machine, at a Unix socket.
///
/// The requests are those of ``HTTPProtocol``, to the host `localhost`. No redirect leads here from elsewhere, or from one socket to
/// another, and there are no background loads.
// Safe to share: there is nothing beside what the superclass guards.
final class UnixSocketProtocol: HTTPProtocol, @unchecked Sendable {
  private static let declared: Capabilities = [
    .byteRanges, .upload, .nonblocking, .duplex, .retries, .schemes("http+unix", "https+unix"),
  ]

  override class func canInit(with request: URLRequest) -> Bool { request.urlFacts.isOfUnixSocket }

  override class var capabilities: Capabilities { declared }

  override var socket: UnixSocketURL? { request.url.flatMap { try? UnixSocketURL($0) } }

  override func startLoading() {
    guard let url = request.url else { return super.startLoading() }
    do {
      _ = try UnixSocketURL(url)
      super.startLoading()
    } catch {
      let message = "\(url.redactedDescription) cannot be loaded: \(error.words)."
      client?.urlProtocol(self, didFailWithError: URLError(.badURL, message: message, url: url))
    }
  }
}
