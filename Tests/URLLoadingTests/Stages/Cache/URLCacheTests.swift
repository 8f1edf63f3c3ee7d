import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

@Suite(.timeLimit(.minutes(4))) struct URLCacheTests {
  private func response(_ text: String, policy: URLCache.StoragePolicy = .allowed) -> CachedURLResponse {
    CachedURLResponse(
      response: URLResponse(
        url: "http://a/", mimeType: "text/plain", expectedContentLength: text.utf8.count, textEncodingName: nil),
      data: Data(text.utf8), storagePolicy: policy)
  }

  private func body(_ cache: URLCache, _ request: URLRequest) -> String? {
    cache.cachedResponse(for: request).map { String(decoding: $0.data, as: UTF8.self) }
  }

  private func request(_ url: URL, _ method: String = "GET") -> URLRequest {
    var request = URLRequest(url: url)
    request.httpMethod = method
    return request
  }

  @Test func capacities() throws {
    let folder = try TemporaryDirectory()
    #expect(URLCache().memoryCapacity == 4_000_000 && URLCache().diskCapacity == 20_000_000)
    let caches = [
      URLCache(memoryCapacity: 10, diskCapacity: 20, diskPath: "x"),
      URLCache(memoryCapacity: 10, diskCapacity: 20, directory: folder.file("cache")),
      URLCache(memoryCapacity: 10, diskCapacity: 20),
    ]
    for cache in caches {
      #expect(cache.memoryCapacity == 10 && cache.diskCapacity == 20)
      cache.diskCapacity = 5
      cache.memoryCapacity = 7
      #expect(cache.memoryCapacity == 7 && cache.diskCapacity == 5)
      #expect(cache.currentMemoryUsage == 0 && cache.currentDiskUsage == 0)
    }
    let none = URLCache(memoryCapacity: -1, diskCapacity: -1, diskPath: nil)
    #expect(none.memoryCapacity == 0 && none.diskCapacity == 0)
  }

  @Test func whatIsStoredIsFound() {
    let cache = URLCache(memoryCapacity: 4_000_000, diskCapacity: 0)
    #expect(body(cache, request("http://a/")) == nil)
    cache.storeCachedResponse(response("one"), for: request("http://a/"))
    #expect(body(cache, request("http://a/")) == "one")
    cache.storeCachedResponse(response("two"), for: request("http://a/"))
    #expect(body(cache, request("http://a/")) == "two")
    cache.removeCachedResponse(for: request("http://b/"))
    #expect(body(cache, request("http://a/")) == "two")
    cache.removeCachedResponse(for: request("http://a/"))
    #expect(body(cache, request("http://a/")) == nil && cache.currentMemoryUsage == 0)
  }

  @Test func onlyTheSameRequestFindsIt() {
    let cache = URLCache(memoryCapacity: 4_000_000, diskCapacity: 0)
    let stored = request("http://example.org:8080/path?user=alice")
    cache.storeCachedResponse(response("alice"), for: stored)
    let others = [
      request("http://example.org:8080/path?user=bob"), request("http://example.org:8080/path"),
      request("https://example.org:8080/path?user=alice"), request("http://example.org/path?user=alice"),
      request("http://example.com:8080/path?user=alice"), request("http://example.org:8080/Path?user=alice"),
      request("http://me@example.org:8080/path?user=alice"), request("http://example.org:8080/path?user=alice", "HEAD"),
    ]
    for other in others { #expect(body(cache, other) == nil, "\(other)") }
    #expect(body(cache, request("http://example.org:8080/path?user=alice#fragment")) == "alice")
    #expect(body(cache, request("HTTP://Example.ORG:8080/path?user=alice")) == "alice")
  }

  @Test(arguments: [
    ("http://a", "http://a/"), ("http://a:80/", "http://a/"), ("https://a:443/b", "https://a/b"),
    ("ftp://a:21/b", "ftp://a/b"), ("data:,x#y", "data:,x"),
  ])
  func spellingsOfOneURLAreOne(_ spelling: String, _ other: String) throws {
    let cache = URLCache(memoryCapacity: 4_000_000, diskCapacity: 0)
    cache.storeCachedResponse(response("x"), for: request(try #require(URL(string: spelling))))
    #expect(body(cache, request(try #require(URL(string: other)))) == "x")
  }

  @Test func memoryIsBounded() {
    let cache = URLCache(memoryCapacity: 10_000, diskCapacity: 0)
    for number in 0..<100 {
      cache.storeCachedResponse(response(String(repeating: "x", count: 1000)), for: request(Self.url(number)))
      #expect(cache.currentMemoryUsage <= 10_000)
      // Used all the time.
      _ = body(cache, request(Self.url(0)))
    }
    #expect(body(cache, request(Self.url(0))) != nil && body(cache, request(Self.url(99))) != nil)
    #expect(body(cache, request(Self.url(1))) == nil && body(cache, request(Self.url(50))) == nil)
    let usage = cache.currentMemoryUsage
    #expect(usage > 6000)
    cache.storeCachedResponse(response(String(repeating: "x", count: 10_000)), for: request("http://large/"))
    #expect(body(cache, request("http://large/")) == nil && cache.currentMemoryUsage == usage)
    cache.memoryCapacity = 0
    #expect(cache.currentMemoryUsage == 0 && body(cache, request(Self.url(99))) == nil)
  }

  private static func url(_ number: Int) -> URL { URL(string: "http://a/\(number)") ?? "http://a/" }

  @Test func whatMayNotBeStoredIsNot() {
    let cache = URLCache(memoryCapacity: 4_000_000, diskCapacity: 0)
    cache.storeCachedResponse(response("kept", policy: .allowedInMemoryOnly), for: request("http://a/"))
    cache.storeCachedResponse(response("secret", policy: .notAllowed), for: request("http://a/"))
    #expect(body(cache, request("http://a/")) == "kept")
    var nowhere = URLRequest(url: "http://a/")
    nowhere.url = nil
    cache.storeCachedResponse(response("x"), for: nowhere)
    cache.removeCachedResponse(for: nowhere)
    #expect(body(cache, nowhere) == nil)
  }

  @Test func removalByDate() async throws {
    let cache = URLCache(memoryCapacity: 4_000_000, diskCapacity: 0)
    cache.storeCachedResponse(response("old"), for: request("http://old/"))
    let date = Date()
    while Date() <= date { await Task.yield() }
    cache.storeCachedResponse(response("new"), for: request("http://new/"))
    cache.removeCachedResponses(since: date)
    #expect(body(cache, request("http://old/")) == "old" && body(cache, request("http://new/")) == nil)
    cache.removeAllCachedResponses()
    #expect(cache.currentMemoryUsage == 0 && body(cache, request("http://old/")) == nil)
  }

  /// A class whose canonical URLs have no query.
  final class Canonical: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "canonical" }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest {
      var canonical = request
      canonical.url = request.url.flatMap { URL(string: "canonical://\($0.host() ?? "")/") }
      return canonical
    }
  }

  @Test func theKeyIsTheCanonicalRequest() async throws {
    let cache = URLCache(memoryCapacity: 4_000_000, diskCapacity: 0)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [Canonical.self]
    let session = URLSession(configuration: configuration)
    let task = session.dataTask(with: "canonical://a/?1")
    let other = session.dataTask(with: "canonical://a/?2")
    cache.storeCachedResponse(response("x"), for: task)
    #expect(await found(cache, other) == "x")
    #expect(await found(cache, session.dataTask(with: "canonical://b/?1")) == nil)
    cache.removeCachedResponse(for: other)
    #expect(await found(cache, task) == nil)
    // A cache by itself knows the registered classes.
    #expect(CacheKey(URLRequest(url: "canonical://a/?1")) != CacheKey(URLRequest(url: "canonical://a/?2")))
    URLProtocol.registerClass(Canonical.self)
    defer { URLProtocol.unregisterClass(Canonical.self) }
    #expect(CacheKey(URLRequest(url: "canonical://a/?1")) == CacheKey(URLRequest(url: "canonical://a/?2")))
    session.invalidateAndCancel()
  }

  private func found(_ cache: URLCache, _ task: URLSessionDataTask) async -> String? {
    await withCheckedContinuation { continuation in
      cache.getCachedResponse(for: task) { found in
        continuation.resume(returning: found.map { String(decoding: $0.data, as: UTF8.self) })
      }
    }
  }

  @Test func aTaskOfNoSessionHasNothing() async {
    let cache = URLCache(memoryCapacity: 4_000_000, diskCapacity: 0)
    let task = URLSessionDataTask()
    cache.storeCachedResponse(response("x"), for: task)
    cache.removeCachedResponse(for: task)
    #expect(await found(cache, task) == nil && cache.currentMemoryUsage == 0)
  }

  @Test func manyThreadsUseOne() async {
    let cache = URLCache(memoryCapacity: 50_000, diskCapacity: 0)
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<8 {
        group.addTask {
          for number in 0..<500 {
            let request = URLRequest(url: Self.url((worker * 7 + number) % 60))
            cache.storeCachedResponse(self.response("\(number)"), for: request)
            _ = cache.cachedResponse(for: request)
            if number % 50 == 0 { cache.removeCachedResponse(for: request) }
          }
        }
      }
    }
    #expect(cache.currentMemoryUsage <= 50_000)
    cache.removeAllCachedResponses()
    #expect(cache.currentMemoryUsage == 0)
  }

  @Test func aStoreTakesTheSameTimeHoweverManyThereAre() {
    func time(_ count: Int) -> Duration {
      let cache = URLCache(memoryCapacity: 1 << 30, diskCapacity: 0)
      for number in 0..<count { cache.storeCachedResponse(response(""), for: request(Self.url(number))) }
      let requests = (0..<2000).map { request(Self.url(count + $0)) }
      let responses = requests.map { _ in response("") }
      let clock = ContinuousClock()
      let times = (0..<3).map { _ in
        clock.measure {
          for (request, response) in zip(requests, responses) { cache.storeCachedResponse(response, for: request) }
        }
      }
      return times.min() ?? .zero
    }
    // A cost that grows with the number would be a hundred times as much.
    #expect(time(20_000) < time(200) * 10)
  }
}
