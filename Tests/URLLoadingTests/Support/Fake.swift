import Foundation
import URLLoading
import URLLoadingTestServers

/// A resource of the scheme `fake` whose protocol instances run a closure.
///
/// Mutable state: what was seen, guarded by `seen`.
final class Fake: Sendable {
  /// What happened to the instances of one resource.
  struct Seen: Sendable {
    var requests: [URLRequest] = []
    /// Whether each was for the entries of a directory.
    var listings: [Bool] = []
    var stops = 0
    var pauses = 0
    var resumes = 0
  }

  private static let all = Watched<[String: Fake]>([:])

  let host: String
  let start: @Sendable (FakeProtocol) -> Void
  let seen = Watched(Seen())

  init(_ start: @escaping @Sendable (FakeProtocol) -> Void) {
    host = "h" + UUID().uuidString.lowercased()
    self.start = start
    Self.all.update { $0[host] = self }
  }

  /// A resource that answers with pieces of a body.
  convenience init(_ pieces: [String]) {
    self.init { instance in
      instance.respond()
      for piece in pieces { instance.send(Data(piece.utf8)) }
      instance.finish()
    }
  }

  func url(_ path: String = "/") -> URL { URL(string: "fake://\(host)\(path)") ?? URL(fileURLWithPath: path) }

  static func find(_ request: URLRequest) -> Fake? {
    guard request.url?.scheme == "fake", let host = request.url?.host() else { return nil }
    return all.read { $0[host] }
  }

  func waitForStops(_ count: Int = 1) async -> Bool {
    await seen.wait { $0.stops >= count }
  }
}

/// Loads `fake:` URLs, in the old style of `URLProtocol`.
class FakeProtocol: URLProtocol, @unchecked Sendable {
  override class func canInit(with request: URLRequest) -> Bool { Fake.find(request) != nil }

  private var fake: Fake? { Fake.find(request) }
  /// Where what Apple's client has no calls for is reported.
  var reporter: (any URLProtocolSessionClient)? { client as? any URLProtocolSessionClient }

  override func startLoading() {
    let (request, fake) = (request, fake)
    let isListing = reporter?.urlProtocolDemand(self).wantsEntries == true
    fake?.seen.update {
      $0.requests.append(request)
      $0.listings.append(isListing)
    }
    reporter?.gate.observe { isOpen in
      fake?.seen.update { if isOpen { $0.resumes += 1 } else { $0.pauses += 1 } }
    }
    fake?.start(self)
  }

  override func stopLoading() { fake?.seen.update { $0.stops += 1 } }

  func response(length: Int = -1) -> URLResponse {
    URLResponse(
      url: request.url ?? URL(fileURLWithPath: "/"), mimeType: "text/plain", expectedContentLength: length,
      textEncodingName: "utf-8")
  }

  func respond(length: Int = -1) {
    client?.urlProtocol(self, didReceive: response(length: length), cacheStoragePolicy: .notAllowed)
  }

  func send(_ data: Data) { client?.urlProtocol(self, didLoad: data) }
  func finish() { client?.urlProtocolDidFinishLoading(self) }
  func fail(_ error: any Error) { client?.urlProtocol(self, didFailWithError: error) }
  /// - Parameter bodyFollows: whether the redirect's own response and body are sent after it.
  func redirect(to url: URL, bodyFollows: Bool = false) {
    guard bodyFollows else {
      client?.urlProtocol(self, wasRedirectedTo: URLRequest(url: url), redirectResponse: response(length: 0))
      return
    }
    reporter?.urlProtocol(
      self, wasRedirectedTo: URLRequest(url: url), redirectResponse: response(length: 0), bodyFollows: true)
  }

  /// The upload body as a subclass of Apple's days finds it.
  func readBody() -> Data? {
    if let body = request.httpBody { return body }
    guard let stream = request.httpBodyStream else { return nil }
    stream.open()
    defer { stream.close() }
    var body = Data()
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = stream.read(&buffer, maxLength: buffer.count)
      guard count > 0 else { return body }
      body += buffer[..<count]
    }
  }
}
