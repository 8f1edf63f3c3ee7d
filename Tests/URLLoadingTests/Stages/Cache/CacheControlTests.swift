import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// What programs decide about the cache: delegates, subclasses, protocol classes, capacities.
@Suite(.timeLimit(.minutes(4))) struct CacheControlTests {
  private static let fresh = CacheExchange.numbered(["Cache-Control": "max-age=60"])

  // MARK: Delegates

  @Test func aDelegateIsAskedOnceAboutAWholeResponse() async throws {
    let exchange = try CacheExchange(.memory, Self.fresh)
    let delegate = CacheDecider { $0 }
    let session = await exchange.load(3, delegate)
    #expect(delegate.proposals.value.map { String(decoding: $0.data, as: UTF8.self) } == ["1"])
    #expect(delegate.proposals.value.first?.storagePolicy == .allowed)
    #expect(exchange.requests.count == 1)
    session.invalidateAndCancel()
  }

  @Test func aDelegateForbidsToStore() async throws {
    let exchange = try CacheExchange(.memory, Self.fresh)
    let delegate = CacheDecider { _ in nil }
    let session = await exchange.load(2, delegate)
    #expect(exchange.requests.count == 2 && delegate.proposals.value.count == 2)
    #expect(exchange.cache.currentMemoryUsage == 0)
    session.invalidateAndCancel()
  }

  @Test func aDelegateChangesWhatIsStored() async throws {
    let exchange = try CacheExchange(.disk, Self.fresh)
    let delegate = CacheDecider {
      CachedURLResponse(
        response: $0.response, data: Data("changed".utf8), userInfo: ["note": "mine"], storagePolicy: .allowed)
    }
    let session = await exchange.load(1, delegate)
    #expect(try await exchange.get().text == "changed")
    let request = URLRequest(url: exchange.server.url("/"))
    #expect(exchange.cache.cachedResponse(for: request)?.userInfo?["note"] as? String == "mine")
    session.invalidateAndCancel()
  }

  @Test func aDelegateIsNotAskedAboutWhatMayNotBeStored() async throws {
    let exchange = try CacheExchange(.memory, CacheExchange.numbered(["Cache-Control": "no-store"]))
    let delegate = CacheDecider { $0 }
    let session = await exchange.load(2, delegate)
    #expect(delegate.proposals.value.isEmpty && exchange.requests.count == 2)
    session.invalidateAndCancel()
  }

  // MARK: Capacities

  @Test(arguments: CacheExchange.Tier.allCases, [(49_999, true), (50_001, false)])
  func aResponseOfMoreThanATwentiethIsNotStored(tier: CacheExchange.Tier, size: (bytes: Int, isStored: Bool))
    async throws
  {
    let exchange = try CacheExchange(tier, capacity: 1_000_000) { _, _ in
      HTTPResponse(fields: ["Cache-Control": "max-age=60"], body: Data(count: size.bytes))
    }
    for _ in 0..<2 { _ = try await exchange.get() }
    #expect(exchange.requests.count == (size.isStored ? 1 : 2))
  }

  @Test func aSessionWithoutACacheLoads() async throws {
    let exchange = try CacheExchange(.memory, Self.fresh)
    let configuration = CacheExchange.configuration(exchange.cache)
    configuration.urlCache = nil
    let session = URLSession(configuration: configuration)
    for _ in 0..<2 { _ = try await session.data(from: exchange.server.url("/")) }
    #expect(exchange.requests.count == 2)
    session.invalidateAndCancel()
  }

  @Test(arguments: CacheExchange.Tier.allCases)
  func aDownloadIsAnsweredByWhatIsStored(tier: CacheExchange.Tier) async throws {
    let exchange = try CacheExchange(tier, Self.fresh)
    for _ in 0..<2 {
      let (file, _) = try await exchange.session.download(from: exchange.server.url("/"))
      #expect(try String(contentsOf: file, encoding: .utf8) == "1")
      try FileManager.default.removeItem(at: file)
    }
    #expect(exchange.requests.count == 1)
  }

  @Test func resetEmptiesTheCache() async throws {
    let exchange = try CacheExchange(.disk, Self.fresh)
    _ = try await exchange.get()
    await exchange.session.flush()
    #expect(exchange.cache.currentDiskUsage > 0)
    await exchange.session.reset()
    #expect(exchange.cache.currentDiskUsage == 0)
    #expect(try await exchange.get().text == "2")
  }

  // MARK: Subclasses

  /// Keeps responses in a dictionary of its own.
  private final class OwnCache: URLCache, @unchecked Sendable {
    let kept = Watched<[URL: CachedURLResponse]>([:])
    let calls = Watched<[String]>([])

    override func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
      calls.update { $0.append("get") }
      return request.url.flatMap { kept.value[$0] }
    }

    override func storeCachedResponse(_ cachedResponse: CachedURLResponse, for request: URLRequest) {
      calls.update { $0.append("store") }
      guard let url = request.url else { return }
      kept.update { $0[url] = cachedResponse }
    }
  }

  @Test func aSubclassIsAskedAndTold() async throws {
    let exchange = try CacheExchange(.memory, Self.fresh)
    let cache = OwnCache(memoryCapacity: 1_000_000, diskCapacity: 0)
    let session = URLSession(configuration: CacheExchange.configuration(cache))
    for _ in 0..<2 {
      let (data, _) = try await session.data(from: exchange.server.url("/"))
      #expect(String(decoding: data, as: UTF8.self) == "1")
    }
    #expect(cache.calls.value == ["get", "store", "get"])
    #expect(exchange.requests.count == 1)
    session.invalidateAndCancel()
  }

  @Test func whatASubclassGivesIsHeldAgainstTheRules() async throws {
    let exchange = try CacheExchange(.memory, Self.fresh)
    let cache = OwnCache(memoryCapacity: 1_000_000, diskCapacity: 0)
    let session = URLSession(configuration: CacheExchange.configuration(cache))
    let url = exchange.server.url("/")
    let stale = try #require(
      HTTPURLResponse(
        url: url, statusCode: 200, httpVersion: "HTTP/1.1",
        headerFields: ["Cache-Control": "max-age=1", "Date": "Sun, 06 Nov 1994 08:49:37 GMT"]))
    cache.kept.update { $0[url] = CachedURLResponse(response: stale, data: Data("stale".utf8)) }
    let (data, _) = try await session.data(from: url)
    #expect(String(decoding: data, as: UTF8.self) == "1")
    session.invalidateAndCancel()
  }

  // MARK: Protocol classes

  /// Answers `cached-fake:` URLs; says by the URL's query where the response may be kept, and uses what is.
  private final class KeptProtocol: URLProtocol, @unchecked Sendable {
    static let loads = Watched<[String: Int]>([:])

    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "cached-fake" }

    override func startLoading() {
      guard let url = request.url else { return }
      let policy: URLCache.StoragePolicy = url.query == "kept" ? .allowed : .notAllowed
      if let cachedResponse {
        client?.urlProtocol(self, cachedResponseIsValid: cachedResponse)
        client?.urlProtocol(self, didReceive: cachedResponse.response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: cachedResponse.data)
        client?.urlProtocolDidFinishLoading(self)
        return
      }
      let number = Self.loads.update {
        $0[url.absoluteString, default: 0] += 1
        return $0[url.absoluteString] ?? 0
      }
      let response = URLResponse(url: url, mimeType: "text/plain", expectedContentLength: -1, textEncodingName: nil)
      client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: policy)
      client?.urlProtocol(self, didLoad: Data("\(number)".utf8))
      client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
  }

  private func session(of cache: URLCache) -> URLSession {
    let configuration = CacheExchange.configuration(cache)
    configuration.protocolClasses = [KeptProtocol.self]
    return URLSession(configuration: configuration)
  }

  @Test(arguments: [("kept", "1"), ("not", "2")])
  func aClassDecidesWhetherItsResponseIsKept(query: String, second: String) async throws {
    let session = session(of: URLCache(memoryCapacity: 1_000_000, diskCapacity: 0))
    let url = try #require(URL(string: "cached-fake://host/\(UUID())?\(query)"))
    var texts: [String] = []
    for _ in 0..<2 { texts.append(String(decoding: try await session.data(from: url).0, as: UTF8.self)) }
    #expect(texts == ["1", second])
    session.invalidateAndCancel()
  }

  @Test func policiesHoldForEveryScheme() async throws {
    let session = session(of: URLCache(memoryCapacity: 1_000_000, diskCapacity: 0))
    let url = try #require(URL(string: "cached-fake://host/\(UUID())?kept"))
    func text(_ policy: URLRequest.CachePolicy) async throws -> String {
      let (data, _) = try await session.data(for: URLRequest(url: url, cachePolicy: policy))
      return String(decoding: data, as: UTF8.self)
    }
    let error = await #expect(throws: URLError.self) { try await text(.returnCacheDataDontLoad) }
    #expect(error?.code == .resourceUnavailable)
    #expect(try await text(.returnCacheDataElseLoad) == "1")
    #expect(try await text(.returnCacheDataDontLoad) == "1")
    #expect(try await text(.reloadIgnoringLocalCacheData) == "2")
    #expect(try await text(.returnCacheDataElseLoad) == "2")
    session.invalidateAndCancel()
  }
}
