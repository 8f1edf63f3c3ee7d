import Foundation
import Testing
import URLLoadingBase
import URLLoadingTestServers

@testable import URLLoading

/// What a cache makes of answers: to its own conditions, of protocol classes, and to requests whose bodies nobody reads.
@Suite(.timeLimit(.minutes(4))) struct CacheAnswerTests {
  /// Loads what is behind a network that is down at first, and answers conditions when it is up.
  private final class Conditional: URLProtocol, @unchecked Sendable {
    static let isUp = Watched(true)
    static let conditions = Watched<[String?]>([])

    override class func canInit(with request: URLRequest) -> Bool { request.url?.host() == "conditional.invalid" }
    override class var capabilities: Capabilities { [.nonblocking, .connectivity] }
    override func stopLoading() {}

    override func startLoading() {
      guard let url = request.url else { return }
      let condition = request.value(forHTTPHeaderField: "If-None-Match")
      // Looked at before the test is told: it changes this when it is.
      let isUp = Self.isUp.value
      Self.conditions.update { $0.append(condition) }
      guard isUp else {
        client?.urlProtocol(self, didFailWithError: URLError(.notConnectedToInternet))
        return
      }
      let fields = ["ETag": "\"v\"", "Cache-Control": "no-cache"]
      let status = condition == nil ? 200 : 304
      guard let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
      else { return }
      client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .allowed)
      if status == 200 { client?.urlProtocol(self, didLoad: Data("body".utf8)) }
      client?.urlProtocolDidFinishLoading(self)
    }
  }

  /// The program has set no condition, and gets no 304.
  @Test func conditionsOfTheCacheDoNotOutliveAWaitForConnectivity() async throws {
    let configuration = CacheExchange.configuration(URLCache(memoryCapacity: 1_000_000, diskCapacity: 0))
    configuration.protocolClasses = [Conditional.self]
    configuration.waitsForConnectivity = true
    let session = URLSession(configuration: configuration)
    let url = try #require(URL(string: "http://conditional.invalid/"))
    #expect(try await session.data(from: url).0 == Data("body".utf8))
    Conditional.isUp.update { $0 = false }
    async let loaded = session.data(from: url)
    #expect(await Conditional.conditions.wait { $0.count == 2 })
    Conditional.isUp.update { $0 = true }
    NetworkChanges.shared.recordChange()
    let (data, response) = try await loaded
    #expect(data == Data("body".utf8) && (response as? HTTPURLResponse)?.statusCode == 200)
    #expect(Conditional.conditions.value == [nil, "\"v\"", "\"v\""])
    session.invalidateAndCancel()
  }

  /// A PUT's answer, and a part, are not the resource.
  @Test(arguments: [("PUT", nil), ("HEAD", nil), ("GET", "bytes 0-2/6")] as [(String, String?)])
  func onlyTheWholeResourceOfAClassIsStored(method: String, range: String?) async throws {
    let fake = Fake { instance in
      let isFirst =
        instance.request.httpMethod == method && instance.request.value(forHTTPHeaderField: "X-First") != nil
      guard let url = instance.request.url else { return }
      let response = URLResponse(
        url: url, mimeType: "text/plain", expectedContentLength: isFirst ? 3 : 6, textEncodingName: nil,
        contentRange: isFirst ? range.flatMap { ContentRange(fieldValue: $0) } : nil)
      instance.client?.urlProtocol(instance, didReceive: response, cacheStoragePolicy: .allowed)
      instance.send(Data((isFirst ? "abc" : "abcdef").utf8))
      instance.finish()
    }
    let configuration = CacheExchange.configuration(URLCache(memoryCapacity: 1_000_000, diskCapacity: 0))
    configuration.protocolClasses = [FakeProtocol.self]
    let session = URLSession(configuration: configuration)
    var request = URLRequest(url: fake.url())
    request.httpMethod = method
    request.setValue("yes", forHTTPHeaderField: "X-First")
    if range != nil { request.setValue("bytes=0-2", forHTTPHeaderField: "Range") }
    _ = try await session.data(for: request)
    let second = URLRequest(url: fake.url(), cachePolicy: .returnCacheDataElseLoad)
    #expect(try await session.data(for: second).0 == Data("abcdef".utf8))
    #expect(fake.seen.value.requests.count == 2)
    session.invalidateAndCancel()
  }

  /// Nobody reads it, and no store has room for it.
  @Test func anEndlessRevalidationIsGivenUp() async throws {
    let count = Watched(0)
    let isGivenUp = AsyncEvent()
    let server = try ScriptedServer { connection in
      while try connection.readRequest() != nil {
        let number = count.update {
          $0 += 1
          return $0
        }
        let head = "HTTP/1.1 200 OK\r\nCache-Control: max-age=0, stale-while-revalidate=600\r\nContent-Length: "
        guard number > 1 else {
          try connection.send(head + "3\r\n\r\nold")
          continue
        }
        defer { isGivenUp.signal() }
        try connection.send(head + "1000000000000\r\n\r\n")
        let piece = Data(count: 65_536)
        while true { try connection.send(piece) }
      }
    }
    let cache = URLCache(memoryCapacity: 1_000_000, diskCapacity: 0)
    let session = URLSession(configuration: CacheExchange.configuration(cache))
    for _ in 0..<2 { #expect(try await session.data(from: server.url("/")).0 == Data("old".utf8)) }
    #expect(await isGivenUp.wait())
    // A later load may revalidate it again.
    #expect(try await eventually { cache.revalidations.withLock { $0.isEmpty } })
    session.invalidateAndCancel()
    await server.stop()
  }

  /// Gives a part of a larger piece of memory.
  private final class SlicingCache: URLCache, @unchecked Sendable {
    override func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
      guard let url = request.url,
        let response = HTTPURLResponse(
          url: url, statusCode: 200, httpVersion: "HTTP/1.1",
          headerFields: ["Cache-Control": "max-age=600", "ETag": "\"v\"", "Content-Length": "26"])
      else { return nil }
      let all = Data("0123456789abcdefghijklmnopqrstuvwxyz".utf8)
      return CachedURLResponse(response: response, data: all[10...])
    }
  }

  @Test func aRangeIsCutFromASliceThatACacheGives() async throws {
    let session = URLSession(
      configuration: CacheExchange.configuration(SlicingCache(memoryCapacity: 1_000_000, diskCapacity: 0)))
    var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:1/")))
    request.setValue("bytes=2-4", forHTTPHeaderField: "Range")
    let (data, response) = try await session.data(for: request)
    #expect(String(decoding: data, as: UTF8.self) == "cde" && (response as? HTTPURLResponse)?.statusCode == 206)
    session.invalidateAndCancel()
  }
}
