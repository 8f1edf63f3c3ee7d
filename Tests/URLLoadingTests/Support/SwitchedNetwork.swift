import Foundation
import URLLoadingBase
import URLLoadingTestServers

@testable import URLLoading

/// A resource behind a network that a test switches on.
///
/// Mutable state: what was seen, guarded by `seen`.
final class SwitchedNetwork: Sendable {
  struct Seen: Sendable {
    var isUp = false
    var attempts = 0
    var stops = 0
    /// The upload body of the attempt that got through.
    var body: Data?
  }

  private static let all = Watched<[String: SwitchedNetwork]>([:])

  let seen = Watched(Seen())
  private let host = "n" + UUID().uuidString.lowercased()
  /// What an attempt does before it fails.
  fileprivate let beforeFailure: @Sendable (SwitchedProtocol) -> Void

  init(beforeFailure: @escaping @Sendable (SwitchedProtocol) -> Void = { _ in }) {
    self.beforeFailure = beforeFailure
    Self.all.update { $0[host] = self }
  }

  var url: URL { URL(string: "switched://\(host)/x") ?? URL(fileURLWithPath: "/") }

  func comeUp() {
    seen.update { $0.isUp = true }
    NetworkChanges.shared.recordChange()
  }

  func waitForAttempts(_ count: Int) async -> Bool { await seen.wait { $0.attempts >= count } }

  fileprivate static func of(_ url: URL?) -> SwitchedNetwork? { url?.host().flatMap { host in all.read { $0[host] } } }

  static func configuration(
    of protocolClass: URLProtocol.Type = SwitchedProtocol.self, waits: Bool = true
  ) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [protocolClass]
    configuration.waitsForConnectivity = waits
    return configuration
  }
}

/// Loads `switched:` URLs: answers `up` where the network is up, and says what is missing else.
class SwitchedProtocol: URLProtocol, URLAuthenticationChallengeSender, @unchecked Sendable {
  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "switched" }
  override class var capabilities: Capabilities { [.nonblocking, .upload, .acceptsRedirects, .connectivity] }

  private var network: SwitchedNetwork? { SwitchedNetwork.of(request.url) }
  var sender: (any URLProtocolSessionClient)? { client as? any URLProtocolSessionClient }

  override func startLoading() {
    guard let network else { return }
    let isUp = network.seen.update { seen in
      seen.attempts += 1
      return seen.isUp
    }
    if isUp { return answer(network) }
    network.beforeFailure(self)
    fail()
  }

  override func stopLoading() { network?.seen.update { $0.stops += 1 } }

  func fail() {
    client?.urlProtocol(
      self,
      didFailWithError: URLError(.notConnectedToInternet, message: "The network is switched off.", url: request.url))
  }

  func respond() {
    guard let url = request.url else { return }
    let response = URLResponse(url: url, mimeType: "text/plain", expectedContentLength: 2, textEncodingName: nil)
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
  }

  private func answer(_ network: SwitchedNetwork) {
    let body = sender?.urlProtocolUploadBody(self).flatMap { Self.bytes(of: $0) }
    network.seen.update { $0.body = body }
    if let body { sender?.urlProtocol(self, didSendBodyData: Int64(body.count)) }
    respond()
    client?.urlProtocol(self, didLoad: Data("up".utf8))
    client?.urlProtocolDidFinishLoading(self)
  }

  private static func bytes(of body: URLUploadBody) -> Data? {
    switch body {
    case .data(let data): return data
    case .file(let url, _): return try? Data(contentsOf: url)
    case .stream(let stream, _):
      if stream.streamStatus == .notOpen { stream.open() }
      defer { stream.close() }
      var bytes = Data()
      var buffer = [UInt8](repeating: 0, count: 64)
      while true {
        let count = stream.read(&buffer, maxLength: buffer.count)
        guard count > 0 else { return bytes }
        bytes += buffer[..<count]
      }
    }
  }

  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) { fail() }
  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) { fail() }
  func cancel(_ challenge: URLAuthenticationChallenge) { fail() }
  func performDefaultHandling(for challenge: URLAuthenticationChallenge) { fail() }
  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) { fail() }
}
