import Foundation
import URLLoading

/// Ends its loads as the host of the URL says, for errors that no server causes.
// Safe to share: it has no state.
final class ScriptedProtocol: URLProtocol, @unchecked Sendable {
  struct Foreign: Error, Equatable {}

  static let session: URLSession = {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [ScriptedProtocol.self]
    return URLSession(configuration: configuration)
  }()

  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "scripted" }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    let error: any Error =
      switch request.url?.host() {
      case "foreign": Foreign()
      case "object": NSError(domain: NSURLErrorDomain, code: NSURLErrorTimedOut, userInfo: ["key": "value"])
      default: URLError(.cannotFindHost)
      }
    client?.urlProtocol(self, didFailWithError: error)
  }

  override func stopLoading() {}
}
