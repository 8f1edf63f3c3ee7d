import Foundation
import URLLoadingTestServers

@testable import URLLoading

/// A protocol class whose instances do what a test tells them; they are found by their URL's host.
class Puppet: URLProtocol, @unchecked Sendable {
  private static let started = Watched<[String: Puppet]>([:])

  /// The calls that the instance got.
  let calls = Watched<[String]>([])

  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "puppet" }
  override class var capabilities: Capabilities { [.nonblocking, .acceptsRedirects] }

  override func startLoading() {
    calls.update { $0.append("start") }
    (client as? any URLProtocolSessionClient)?.gate.observe { [calls] isOpen in
      calls.update { $0.append(isOpen ? "resume" : "pause") }
    }
    if let host = request.url?.host() { Self.started.update { $0[host] = self } }
  }
  override func stopLoading() { calls.update { $0.append("stop") } }

  /// The instance that loads `puppet://host`, once it has been started; nil if that does not happen in time.
  static func of(_ host: String) async -> Puppet? {
    guard await started.wait(timeout: .seconds(60), until: { $0[host] != nil }) else { return nil }
    return started.update { $0.removeValue(forKey: host) }
  }

  /// A URL that no other test uses.
  static func freshURL() -> URL {
    URL(string: "puppet://\(UUID().uuidString.lowercased())") ?? URL(fileURLWithPath: "/")
  }

  static func configuration() -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [Puppet.self]
    return configuration
  }

  func respond(length: Int = -1) {
    let url = request.url ?? Self.freshURL()
    client?.urlProtocol(
      self,
      didReceive: URLResponse(
        url: url, mimeType: "text/plain", expectedContentLength: length, textEncodingName: nil),
      cacheStoragePolicy: .notAllowed)
  }
  func send(_ text: String) { client?.urlProtocol(self, didLoad: Data(text.utf8)) }
  func send(_ data: Data) { client?.urlProtocol(self, didLoad: data) }
  func finish() { client?.urlProtocolDidFinishLoading(self) }
}
