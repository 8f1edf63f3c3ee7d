import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// A cache with both tiers, and what reaches each of them.
@Suite(.timeLimit(.minutes(4))) struct CacheTierTests {
  /// A session whose cache has both tiers, of these capacities.
  private func session(_ exchange: CacheExchange, memory: Int, disk: Int) -> URLSession {
    let cache = URLCache(memoryCapacity: memory, diskCapacity: disk, directory: exchange.directory.url)
    return URLSession(configuration: CacheExchange.configuration(cache))
  }

  private func length(
    _ session: URLSession, _ exchange: CacheExchange, _ policy: URLRequest.CachePolicy = .useProtocolCachePolicy
  ) async throws -> Int {
    try await session.data(for: URLRequest(url: exchange.server.url("/"), cachePolicy: policy)).0.count
  }

  /// What a tier does not take goes there all the same, where it is about the same resource.
  @Test func aLargerResponseReplacesTheOldOneInBothTiers() async throws {
    let exchange = try CacheExchange { _, number in
      HTTPResponse(fields: ["Cache-Control": "max-age=600"], body: Data(count: number == 1 ? 1000 : 40_000))
    }
    let session = session(exchange, memory: 100_000, disk: 10_000_000)
    #expect(try await length(session, exchange) == 1000)
    #expect(try await length(session, exchange, .reloadIgnoringLocalCacheData) == 40_000)
    #expect(try await length(session, exchange) == 40_000)
    #expect(exchange.requests.count == 2)
    session.invalidateAndCancel()
  }

  @Test func aResponseThatNoTierTakesRemovesTheOldOne() async throws {
    let exchange = try CacheExchange { _, number in
      HTTPResponse(fields: ["Cache-Control": "max-age=600"], body: Data(count: number == 1 ? 1000 : 900_000))
    }
    let session = session(exchange, memory: 100_000, disk: 1_000_000)
    #expect(try await length(session, exchange) == 1000)
    #expect(try await length(session, exchange, .reloadIgnoringLocalCacheData) == 900_000)
    #expect(try await length(session, exchange) == 900_000)
    #expect(exchange.requests.count == 3)
    session.invalidateAndCancel()
  }

  @Test func whatMayNotBeStoredRemovesTheOldOneInBothTiers() async throws {
    let exchange = try CacheExchange { _, number in
      HTTPResponse(fields: ["Cache-Control": number == 1 ? "max-age=600" : "no-store"], body: Data(count: number))
    }
    let session = session(exchange, memory: 100_000, disk: 1_000_000)
    #expect(try await length(session, exchange) == 1)
    #expect(try await length(session, exchange, .reloadIgnoringLocalCacheData) == 2)
    #expect(try await length(session, exchange) == 3)
    session.invalidateAndCancel()
  }

  /// The body is read from its file while the server's answer goes on.
  @Test func aLargeStaleBodyAnswersInThePlaceOfAnError() async throws {
    let body = TestFiles.pattern(count: 2_000_000)
    let exchange = try CacheExchange(.disk, capacity: 100_000_000) { _, number in
      number == 1
        ? HTTPResponse(fields: ["ETag": "\"v\"", "Cache-Control": "max-age=0, stale-if-error=600"], body: body)
        : HTTPResponse(503, body: Data(count: 300_000))
    }
    for _ in 0..<5 {
      let (data, response) = try await exchange.session.data(from: exchange.server.url("/"))
      #expect(data == body && (response as? HTTPURLResponse)?.statusCode == 200)
    }
    #expect(exchange.requests.count == 5)
  }

  @Test func aValidationSetsItsCookies() async throws {
    let exchange = try CacheExchange { request, _ in
      request.fields["If-None-Match"] == nil
        ? HTTPResponse(fields: ["ETag": "\"v\"", "Cache-Control": "no-cache"], text: "x")
        : HTTPResponse(304, fields: ["ETag": "\"v\"", "Set-Cookie": "renewed=1"])
    }
    for _ in 0..<2 { #expect(try await exchange.get().text == "x") }
    #expect(exchange.session.configuration.httpCookieStorage?.cookies?.map(\.name) == ["renewed"])
  }

  @Test func aResponseThatVariesByAHundredsOfFieldsCostsNoOtherEntry() async throws {
    let names = (0..<1200).map { "a\($0)" }.joined(separator: ",")
    let exchange = try CacheExchange(.disk) { request, number in
      HTTPResponse(
        fields: ["Cache-Control": "max-age=600", "Vary": request.path == "/many" ? names : "Accept"], text: "\(number)")
    }
    #expect(try await exchange.get("/one").text == "1")
    #expect(try await exchange.get("/many").text == "2")
    #expect(try await exchange.get("/many").text == "3")
    #expect(try await exchange.get("/one").text == "1")
  }

  @Test func policiesHoldWithoutACache() async throws {
    let exchange = try CacheExchange(.memory, CacheExchange.numbered([:]))
    let configuration = CacheExchange.configuration(exchange.cache)
    configuration.urlCache = nil
    let session = URLSession(configuration: configuration)
    let error = await #expect(throws: URLError.self) {
      try await length(session, exchange, .returnCacheDataDontLoad)
    }
    #expect(error?.code == .resourceUnavailable && exchange.requests.isEmpty)
    _ = try await length(session, exchange, .reloadIgnoringLocalAndRemoteCacheData)
    #expect(exchange.requests.last?.fields["Cache-Control"] == "no-cache")
    session.invalidateAndCancel()
  }

  /// One that asks from where it is answered must not wait for itself.
  @Test func aProtocolClassMayAskTheCacheWhenItIsMade() async throws {
    let exchange = try CacheExchange(.disk, CacheExchange.numbered([:]))
    let configuration = CacheExchange.configuration(exchange.cache)
    configuration.protocolClasses = [AskingProtocol.self]
    AskingProtocol.cache.update { $0 = exchange.cache }
    let session = URLSession(configuration: configuration)
    let url = try #require(URL(string: "asking://host/a"))
    let response = CachedURLResponse(
      response: URLResponse(url: url, mimeType: nil, expectedContentLength: 3, textEncodingName: nil),
      data: Data("old".utf8))
    exchange.cache.storeCachedResponse(response, for: URLRequest(url: url))
    // As long as these are being stored, the queue looks up, and makes the instance.
    let large = CachedURLResponse(response: response.response, data: Data(count: 100_000))
    for number in 0..<20 {
      exchange.cache.storeCachedResponse(large, for: URLRequest(url: url.appending(path: "\(number)")))
    }
    let (data, _) = try await session.data(from: url)
    #expect(String(decoding: data, as: UTF8.self) == "old true")
    session.invalidateAndCancel()
  }

  /// Looks into a cache while it is made.
  private final class AskingProtocol: URLProtocol, @unchecked Sendable {
    static let cache = Watched<URLCache?>(nil)
    private var answer = ""

    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "asking" }

    required init(request: URLRequest, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?) {
      super.init(request: request, cachedResponse: cachedResponse, client: client)
      let found = Self.cache.value?.cachedResponse(for: request)
      // What waits to be stored has the store's queue ahead of the next question.
      if let url = request.url?.appending(path: "b"), let found {
        let other = URLRequest(url: url)
        Self.cache.value?.storeCachedResponse(found, for: other)
        _ = Self.cache.value?.cachedResponse(for: other)
      }
      let usage = Self.cache.value?.currentDiskUsage ?? 0
      answer = "\(String(decoding: found?.data ?? Data(), as: UTF8.self)) \(usage > 0)"
    }

    override func startLoading() {
      guard let url = request.url else { return }
      let response = URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
      client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
      client?.urlProtocol(self, didLoad: Data(answer.utf8))
      client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
  }
}
