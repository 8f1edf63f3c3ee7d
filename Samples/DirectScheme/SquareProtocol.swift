import URLLoading

/// Loads `square://NUMBER` by an instance, and directly where a load needs no more than a response and bytes.
final class SquareProtocol: URLProtocol, URLProtocolDirectLoading {
  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "square" }
  override class var capabilities: Capabilities { [.nonblocking, .schemes("square")] }

  static func directLoad(of request: URLRequest, in session: URLSession) -> (any URLDirectLoad)? { Square(request) }

  override func startLoading() {
    guard let square = Square(request) else {
      client?.urlProtocol(self, didFailWithError: Square.noNumber(in: request.url))
      return
    }
    client?.urlProtocol(self, didReceive: square.response, cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: square.body)
    client?.urlProtocolDidFinishLoading(self)
  }

  override func stopLoading() {}
}
