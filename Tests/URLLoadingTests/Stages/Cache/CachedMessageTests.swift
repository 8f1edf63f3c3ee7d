import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// What loads store of messages, and give again; by the sections of RFC 9111 where there is one.
@Suite(.timeLimit(.minutes(4))) struct CachedMessageTests {
  typealias Tier = CacheExchange.Tier

  @Test(
    "4.3.3: a full response to a validation answers, and replaces what is stored", arguments: Tier.allCases, [200, 404])
  func fullResponseToAValidation(tier: Tier, status: Int) async throws {
    let exchange = try CacheExchange(tier) { _, number in
      number == 1
        ? HTTPResponse(fields: ["ETag": "\"1\"", "Cache-Control": "no-cache"], text: "old")
        : HTTPResponse(status, fields: ["ETag": "\"2\"", "Cache-Control": "max-age=600"], text: "new")
    }
    #expect(try await exchange.get().text == "old")
    for _ in 0..<2 {
      let (text, response) = try await exchange.get()
      #expect(text == "new" && response.statusCode == status && response.value(forHTTPHeaderField: "ETag") == "\"2\"")
    }
    #expect(exchange.requests.map { $0.fields["If-None-Match"] } == [nil, "\"1\""])
  }

  @Test("4.3.3: an error in answer to a validation is not hidden from a response that has to be validated")
  func errorToAValidation() async throws {
    let exchange = try CacheExchange { _, number in
      number == 1
        ? HTTPResponse(
          fields: ["ETag": "\"1\"", "Cache-Control": "max-age=0, must-revalidate, stale-if-error=600"], text: "old")
        : HTTPResponse(503, text: "broken")
    }
    #expect(try await exchange.get().text == "old")
    let (text, response) = try await exchange.get()
    #expect(text == "broken" && response.statusCode == 503)
  }

  @Test("3.1: fields of the trailer section are no part of the stored head", arguments: Tier.allCases)
  func trailers(tier: Tier) async throws {
    let server = try ScriptedServer { connection in
      while try connection.readRequest() != nil {
        try connection.send(
          "HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n")
        try connection.sendChunk(Data("body".utf8))
        try connection.send("0\r\nX-Sum: 1\r\nCache-Control: no-store\r\nETag: \"t\"\r\n\r\n")
      }
    }
    let exchange = try CacheExchange(tier) { _, _ in HTTPResponse() }
    for _ in 0..<3 {
      let (data, response) = try await exchange.session.data(from: server.url("/"))
      let http = try #require(response as? HTTPURLResponse)
      #expect(data == Data("body".utf8))
      #expect(http.value(forHTTPHeaderField: "X-Sum") == nil && http.value(forHTTPHeaderField: "ETag") == nil)
      #expect(http.value(forHTTPHeaderField: "Cache-Control") == "max-age=600")
    }
    #expect(server.requests.count == 1)
  }

  /// The coding is undone once, before anything is stored.
  @Test(arguments: Tier.allCases) func aBodyThatCameCodedComesAgainAsItIs(tier: Tier) async throws {
    let exchange = try CacheExchange(tier) { _, _ in
      HTTPResponse(
        fields: ["Cache-Control": "max-age=600", "Content-Encoding": "gzip", "Vary": "Accept-Encoding"],
        body: CodedText.gzip)
    }
    for _ in 0..<3 { #expect(try await exchange.get().text == CodedText.text) }
    let (file, _) = try await exchange.session.download(from: exchange.server.url("/"))
    #expect(try String(contentsOf: file, encoding: .utf8) == CodedText.text)
    try FileManager.default.removeItem(at: file)
    #expect(exchange.requests.count == 1)
  }

  // MARK: Delegates

  /// Notes what it hears, and agrees.
  private final class Order: NSObject, URLSessionDataDelegate {
    let events = Watched<[String]>([])
    let received = Watched(0)

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      received.update { $0 += data.count }
      events.update { $0.append("data") }
    }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
      completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
      let status = (proposedResponse.response as? HTTPURLResponse)?.statusCode ?? 0
      events.update { $0.append("cache \(status) \(proposedResponse.data.count) of \(received.value)") }
      completionHandler(proposedResponse)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      events.update { $0.append("end") }
    }
  }

  @Test(arguments: [200, 404, 410, 501])
  func aDelegateIsAskedAfterAllDataWhateverTheStatus(status: Int) async throws {
    let exchange = try CacheExchange { _, _ in
      HTTPResponse(status, fields: ["Cache-Control": "max-age=600"], body: TestFiles.pattern(count: 200_000))
    }
    let delegate = Order()
    let session = URLSession(
      configuration: CacheExchange.configuration(exchange.cache), delegate: delegate, delegateQueue: nil)
    session.dataTask(with: exchange.server.url("/")).resume()
    #expect(await delegate.events.wait { $0.contains("end") })
    let asked = "cache \(status) 200000 of 200000"
    #expect(delegate.events.value.drop { $0 == "data" } == [asked, "end"], "\(delegate.events.value)")
    let (text, response) = try await exchange.get()
    #expect(text.utf8.count > 0 && response.statusCode == status && exchange.requests.count == 1)
    session.invalidateAndCancel()
  }

  // MARK: Keys

  /// A class for which the case of a path does not count.
  private final class CanonicalProtocol: URLProtocol, @unchecked Sendable {
    static let loads = Watched<[String]>([])

    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "canonical-cache" }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest {
      var canonical = request
      canonical.url = request.url.flatMap { URL(string: $0.absoluteString.lowercased()) }
      return canonical
    }

    override func startLoading() {
      guard let url = request.url,
        let response = HTTPURLResponse(
          url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: ["Cache-Control": "max-age=600"])
      else { return }
      Self.loads.update { $0.append(url.path) }
      client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .allowed)
      client?.urlProtocol(self, didLoad: Data(url.path.utf8))
      client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
  }

  @Test(arguments: Tier.allCases) func theCanonicalRequestOfALoadIsItsKey(tier: Tier) async throws {
    let exchange = try CacheExchange(tier) { _, _ in HTTPResponse() }
    let configuration = CacheExchange.configuration(exchange.cache)
    configuration.protocolClasses = [CanonicalProtocol.self]
    let session = URLSession(configuration: configuration)
    let host = UUID().uuidString.lowercased()
    for path in ["/\(tier)/One", "/\(tier)/ONE", "/\(tier)/one", "/\(tier)/Two"] {
      let url = try #require(URL(string: "canonical-cache://\(host)\(path)"))
      #expect(try await session.data(from: url).0 == Data(path.lowercased().utf8))
    }
    #expect(CanonicalProtocol.loads.value.filter { $0.hasPrefix("/\(tier)/") } == ["/\(tier)/one", "/\(tier)/two"])
    session.invalidateAndCancel()
  }
}
