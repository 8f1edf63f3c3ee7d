import URLLoading
import URLProtocolTesting

/// A class as on Apple's systems, without capabilities: it sends from within `startLoading()`, which may block.
final class BlockingProtocol: URLProtocol, @unchecked Sendable {
  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "blocking" }

  override func startLoading() {
    guard let url = request.url, let item = MutantStore.item(at: url) else {
      client?.urlProtocol(
        self,
        didFailWithError: URLError(
          .fileDoesNotExist, message: "Nothing at \(request.url?.path ?? "").", url: request.url))
      return
    }
    let response = URLResponse(
      url: url, mimeType: "text/plain", expectedContentLength: item.bytes.count, textEncodingName: nil)
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    for start in stride(from: 0, to: item.bytes.count, by: 100_000) {
      client?.urlProtocol(self, didLoad: item.bytes[start..<min(start + 100_000, item.bytes.count)])
    }
    client?.urlProtocolDidFinishLoading(self)
  }

  override func stopLoading() {}
}

struct BlockingFixture: URLProtocolFixture {
  var protocolClass: URLProtocol.Type { BlockingProtocol.self }
  var abilities: FixtureAbilities { .missing }

  func place(_ bytes: Data, named name: String) async throws -> URL {
    let url = try url(name)
    MutantStore.put(bytes, at: url)
    return url
  }

  func missing() async throws -> URL { try url("nothing") }

  private func url(_ name: String) throws -> URL {
    guard let url = URL(string: "blocking:/\(name)") else { throw URLError(.badURL) }
    return url
  }
}
