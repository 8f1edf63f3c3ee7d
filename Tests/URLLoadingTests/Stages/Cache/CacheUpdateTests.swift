import Foundation
import Testing
import URLLoadingHTTPSemantics

@testable import URLLoading

/// What responses do to what a cache has, without a load.
@Suite struct CacheUpdateTests {
  private static let url: URL = "http://a.test/"

  private let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0)

  private func response(_ fields: [(name: String, value: String)], status: Int = 200) throws -> HTTPURLResponse {
    HTTPURLResponse(
      url: Self.url, statusCode: status, httpVersion: "HTTP/1.1", fields: fields)
  }

  private func caching(_ entry: URLCacheEntry? = nil) throws -> AttemptCaching {
    var caching = try #require(AttemptCaching(URLRequest(url: Self.url)))
    if let entry {
      caching.add([entry], of: cache.memory)
      caching.update { $0.validating = $0.found }
    }
    return caching
  }

  private func update(_ caching: AttemptCaching) -> CacheUpdate {
    CacheUpdate(cache: cache, caching: caching, request: nil, isAuthorized: false)
  }

  /// Stores a response with the body `abc`.
  private func store(_ response: HTTPURLResponse) throws -> URLCacheEntry {
    let caching = try caching()
    let recorder = update(caching).recorder(of: response, .allowed, replacing: [], isAsked: false)
    Data("abc".utf8).withUnsafeBytes { recorder.write($0) }
    #expect(recorder.finish() == true)
    return try #require(cache.memory.entries(for: caching.key.text).first)
  }

  @Test func aResponseIsStoredAndRemoved() throws {
    let entry = try store(response([("Cache-Control", "max-age=60")]))
    #expect(cache.memory.body(of: entry) == Data("abc".utf8))
    let caching = try caching(entry)
    #expect(caching.isAnswered)
    update(caching).remove(caching.found)
    #expect(cache.memory.entries(for: caching.key.text).isEmpty)
  }

  @Test func aConfirmationUpdatesTheFields() throws {
    let entry = try store(response([("ETag", "\"v\""), ("A", "1")]))
    let caching = try caching(entry)
    let answer = CacheResponse(
      statusCode: 304, fields: try response([("ETag", "\"v\""), ("A", "2")]).fields, url: Self.url)
    #expect(update(caching).confirm(by: answer)?.entry.id == entry.id)
    let stored = try #require(cache.memory.entries(for: caching.key.text).first)
    #expect((stored.response as? HTTPURLResponse)?.value(forHTTPHeaderField: "A") == "2")
  }

  @Test func aNewerResponseSupersedesTheStoredOne() throws {
    let entry = try store(response([("ETag", "\"v\"")]))
    let caching = try caching(entry)
    let answer = CacheResponse(statusCode: 200, fields: try response([]).fields, url: Self.url)
    #expect(update(caching).superseded(by: answer).map(\.entry.id) == [entry.id])
  }

  @Test func ofTwoStoresTheNewerEntryCounts() throws {
    let entry = try store(response([]))
    var caching = try caching(entry)
    let other = MemoryCacheStore(capacity: 1 << 20)
    var newer = entry
    newer.responseDate += 1
    caching.add([newer], of: other)
    #expect(caching.found.count == 1)
    #expect(caching.found.first?.store === other)
    caching.add([entry], of: cache.memory)
    #expect(caching.found.first?.entry.responseDate == newer.responseDate)
  }
}
