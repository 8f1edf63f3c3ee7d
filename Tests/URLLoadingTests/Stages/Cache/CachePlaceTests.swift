import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// What stays in memory: responses that are allowed there only, and those of URLs with a password.
@Suite(.timeLimit(.minutes(4))) struct CachePlaceTests {
  /// A store of the program's own that keeps nothing, and notes what it hears.
  private final class Listening: URLCacheStore {
    let heard = Watched<[String]>([])
    var capacity: Int {
      get { 1_000_000 }
      set {}
    }
    var usage: Int { 0 }

    private func note(_ text: String) { heard.update { $0.append(text) } }

    func entries(for key: String, completionHandler: @escaping @Sendable ([URLCacheEntry]) -> Void) {
      note("entries \(key)")
      completionHandler([])
    }
    func body(of entry: URLCacheEntry, completionHandler: @escaping @Sendable (URLCacheBody?) -> Void) {
      note("body \(entry.key)")
      completionHandler(nil)
    }
    func writer(for entry: URLCacheEntry, expectedLength: Int64) -> (any URLCacheWriter)? {
      note("writer \(entry.key)")
      return nil
    }
    func replace(_ entry: URLCacheEntry) { note("replace \(entry.key)") }
    func remove(_ entries: [URLCacheEntry]) { for entry in entries { note("remove \(entry.key)") } }
    func removeAll(for key: String) { note("removeAll \(key)") }
    func removeAll(since date: Date?) { note("removeSince") }
  }

  private static func urlWithPassword(_ exchange: CacheExchange) throws -> URL {
    var components = try #require(URLComponents(url: exchange.server.url("/"), resolvingAgainstBaseURL: false))
    (components.user, components.password) = ("user", "hunter2")
    return try #require(components.url)
  }

  /// Whether any file in a directory has a text.
  private static func contains(_ text: String, _ directory: TemporaryDirectory) throws -> Bool {
    let files = FileManager.default.enumerator(at: directory.url, includingPropertiesForKeys: nil)
    for case let file as URL in files ?? .init() where !file.hasDirectoryPath {
      if try Data(contentsOf: file).range(of: Data(text.utf8)) != nil { return true }
    }
    return false
  }

  @Test func aPasswordInAURLStaysInMemory() async throws {
    let exchange = try CacheExchange { _, number in
      HTTPResponse(fields: ["Cache-Control": "max-age=600", "ETag": "\"v\""], text: "body \(number)")
    }
    let cache = URLCache(memoryCapacity: 1_000_000, diskCapacity: 10_000_000, directory: exchange.directory.url)
    let session = URLSession(configuration: CacheExchange.configuration(cache))
    let url = try Self.urlWithPassword(exchange)
    for _ in 0..<2 { #expect(try await session.data(from: url).0 == Data("body 1".utf8)) }
    #expect(exchange.requests.count == 1)
    #expect(cache.currentMemoryUsage > 0 && cache.currentDiskUsage == 0)
    // By hand it is no other.
    let stored = try #require(cache.cachedResponse(for: URLRequest(url: url)))
    cache.storeCachedResponse(stored, for: URLRequest(url: url))
    // One without a password, to see what would be there.
    _ = try await session.data(from: exchange.server.url("/plain"))
    await session.flush()
    #expect(try Self.contains("/plain", exchange.directory))
    #expect(try !Self.contains("hunter2", exchange.directory))
    let restarted = URLCache(store: DiskCacheStore(directory: exchange.directory.path, capacity: 10_000_000))
    #expect(restarted.cachedResponse(for: URLRequest(url: url)) == nil)
    session.invalidateAndCancel()
  }

  /// Not even a lookup, whose key another store may show to others, nor a removal.
  @Test func anotherStoreHearsNothingOfAPassword() async throws {
    let exchange = try CacheExchange { request, number in
      HTTPResponse(
        request.fields["If-None-Match"] == nil ? 200 : 304,
        fields: ["Cache-Control": number == 1 ? "max-age=0" : "max-age=600", "ETag": "\"v\""],
        text: request.fields["If-None-Match"] == nil ? "body" : "")
    }
    let store = Listening()
    let cache = URLCache(store: store, memoryCapacity: 1_000_000)
    let session = URLSession(configuration: CacheExchange.configuration(cache))
    let request = URLRequest(url: try Self.urlWithPassword(exchange))
    var changing = request
    changing.httpMethod = "POST"
    // Stored, validated, used, invalidated, stored anew, and removed.
    for request in [request, request, request, changing, request] { _ = try await session.data(for: request) }
    #expect(exchange.requests.map(\.method) == ["GET", "GET", "POST", "GET"])
    _ = cache.cachedResponse(for: request)
    cache.removeCachedResponse(for: request)
    #expect(store.heard.value.isEmpty, "\(store.heard.value)")
    _ = try await session.data(from: exchange.server.url("/plain"))
    #expect(store.heard.value.contains("entries \(exchange.server.url("/plain").absoluteString)"))
    session.invalidateAndCancel()
  }

  // MARK: Allowed in memory only

  /// Answers `memory-only:` URLs, and counts how often.
  private final class MemoryOnlyProtocol: URLProtocol, @unchecked Sendable {
    static let loads = Watched<[String: Int]>([:])

    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "memory-only" }

    override func startLoading() {
      guard let url = request.url else { return }
      // Its own response is still right, wherever it was kept.
      if let cachedResponse {
        client?.urlProtocol(self, cachedResponseIsValid: cachedResponse)
        client?.urlProtocol(self, didReceive: cachedResponse.response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: cachedResponse.data)
        client?.urlProtocolDidFinishLoading(self)
        return
      }
      Self.loads.update { $0[url.absoluteString, default: 0] += 1 }
      let response = URLResponse(url: url, mimeType: "text/plain", expectedContentLength: 6, textEncodingName: nil)
      client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .allowedInMemoryOnly)
      client?.urlProtocol(self, didLoad: Data("secret".utf8))
      client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
  }

  @Test func whatAClassAllowsInMemoryOnlyReachesNoDisk() async throws {
    let directory = try TemporaryDirectory("cache")
    let cache = URLCache(memoryCapacity: 1_000_000, diskCapacity: 10_000_000, directory: directory.url)
    let configuration = CacheExchange.configuration(cache)
    configuration.protocolClasses = [MemoryOnlyProtocol.self]
    let session = URLSession(configuration: configuration)
    let url = try #require(URL(string: "memory-only://host/\(UUID())"))
    for _ in 0..<2 { #expect(try await session.data(from: url).0 == Data("secret".utf8)) }
    #expect(MemoryOnlyProtocol.loads.value[url.absoluteString] == 1)
    #expect(cache.currentMemoryUsage > 0 && cache.currentDiskUsage == 0)
    #expect(cache.cachedResponse(for: URLRequest(url: url))?.storagePolicy == .allowedInMemoryOnly)
    await session.flush()
    #expect(try !Self.contains("secret", directory))
    session.invalidateAndCancel()
  }

  /// One that was on the disk before goes from there.
  @Test func whatAProgramAllowsInMemoryOnlyReachesNoDisk() async throws {
    let directory = try TemporaryDirectory("cache")
    let cache = URLCache(memoryCapacity: 1_000_000, diskCapacity: 10_000_000, directory: directory.url)
    let request = URLRequest(url: "http://a/")
    let response = URLResponse(
      url: "http://a/", mimeType: "text/plain", expectedContentLength: 6, textEncodingName: nil)
    func store(_ text: String, _ policy: URLCache.StoragePolicy) {
      let cached = CachedURLResponse(response: response, data: Data(text.utf8), storagePolicy: policy)
      cache.storeCachedResponse(cached, for: request)
    }
    store("public", .allowed)
    #expect(cache.currentDiskUsage > 0)
    store("secret", .allowedInMemoryOnly)
    #expect(cache.cachedResponse(for: request)?.data == Data("secret".utf8))
    #expect(cache.currentDiskUsage == 0)
    #expect(try !Self.contains("secret", directory))
    let restarted = URLCache(store: DiskCacheStore(directory: directory.path, capacity: 10_000_000))
    #expect(restarted.cachedResponse(for: request) == nil)
  }

  @Test func whatADelegateAllowsInMemoryOnlyReachesNoDisk() async throws {
    let exchange = try CacheExchange(.memory, CacheExchange.numbered(["Cache-Control": "max-age=600"]))
    let cache = URLCache(memoryCapacity: 1_000_000, diskCapacity: 10_000_000, directory: exchange.directory.url)
    let delegate = CacheDecider {
      CachedURLResponse(response: $0.response, data: $0.data, storagePolicy: .allowedInMemoryOnly)
    }
    let session = await exchange.load(2, delegate, cache: cache)
    #expect(exchange.requests.count == 1)
    #expect(cache.currentMemoryUsage > 0 && cache.currentDiskUsage == 0)
    session.invalidateAndCancel()
  }
}
