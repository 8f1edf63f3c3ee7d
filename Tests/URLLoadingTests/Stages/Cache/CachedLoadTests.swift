import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Loads that are answered, validated and stored by a cache, by every tier.
@Suite(.timeLimit(.minutes(4))) struct CachedLoadTests {
  typealias Tier = CacheExchange.Tier
  private typealias Exchange = CacheExchange

  @Test(arguments: Tier.allCases)
  func whatIsFreshIsNotLoadedAgain(tier: Tier) async throws {
    let exchange = try Exchange(tier, CacheExchange.numbered(["Cache-Control": "max-age=600"]))
    for _ in 0..<3 { #expect(try await exchange.get().text == "1") }
    #expect(exchange.requests.count == 1)
    #expect(try await exchange.get("/?other").text == "2")
    let response = try await exchange.get().response
    // Stored a moment ago, which may be over a second on a busy machine.
    #expect(response.value(forHTTPHeaderField: "Age").flatMap { Int($0) }.map { $0 < 600 } == true)
  }

  @Test(arguments: Tier.allCases)
  func largeBodiesComeBackByteForByte(tier: Tier) async throws {
    let body = TestFiles.pattern(count: 400_000)
    let exchange = try Exchange(tier) { _, _ in
      HTTPResponse(fields: ["Cache-Control": "max-age=600"], body: Data(body))
    }
    for _ in 0..<2 {
      let (data, _) = try await exchange.session.data(from: exchange.server.url("/"))
      #expect(data == Data(body))
    }
    let (file, _) = try await exchange.session.download(from: exchange.server.url("/"))
    #expect(try Data(contentsOf: file) == Data(body))
    try? FileManager.default.removeItem(at: file)
    let (bytes, _) = try await exchange.session.bytes(from: exchange.server.url("/"))
    var count = 0
    for try await _ in bytes { count += 1 }
    #expect(count == body.count)
    #expect(exchange.requests.count == 1)
  }

  @Test(arguments: Tier.allCases)
  func whatIsStaleIsValidated(tier: Tier) async throws {
    let exchange = try Exchange(tier) { request, number in
      request.fields["If-None-Match"] == "\"v\""
        ? HTTPResponse(304, fields: ["ETag": "\"v\"", "X-New": "\(number)"])
        : HTTPResponse(fields: ["ETag": "\"v\"", "Cache-Control": "no-cache"], text: "\(number)")
    }
    #expect(try await exchange.get().text == "1")
    let (text, response) = try await exchange.get()
    #expect(text == "1" && response.statusCode == 200 && response.value(forHTTPHeaderField: "X-New") == "2")
    #expect(exchange.requests.count == 2)
    #expect(response.value(forHTTPHeaderField: "ETag") == "\"v\"")
  }

  @Test func aValidationIsNoPartOfTheTasksRequest() async throws {
    let exchange = try Exchange { request, _ in
      request.fields["If-None-Match"] == nil
        ? HTTPResponse(fields: ["ETag": "\"v\"", "Cache-Control": "no-cache"], text: "body") : HTTPResponse(304)
    }
    _ = try await exchange.get()
    let task = await withCheckedContinuation { done in
      let ended = Watched<URLSessionTask?>(nil)
      let task = exchange.session.dataTask(with: exchange.server.url("/")) { _, _, _ in
        done.resume(returning: ended.read { $0 })
      }
      ended.update { $0 = task }
      task.resume()
    }
    #expect(task?.currentRequest?.value(forHTTPHeaderField: "If-None-Match") == nil)
    #expect(task?.currentRequest?.url == exchange.server.url("/"))
    #expect(exchange.requests.last?.fields["If-None-Match"] == "\"v\"")
  }

  @Test func aChangedResourceReplacesWhatIsStored() async throws {
    let exchange = try Exchange { _, number in
      HTTPResponse(fields: ["ETag": "\"\(number)\"", "Cache-Control": "no-cache"], text: "\(number)")
    }
    #expect(try await exchange.get().text == "1")
    #expect(try await exchange.get().text == "2")
    #expect(exchange.requests.map { $0.fields["If-None-Match"] } == [nil, "\"1\""])
    #expect(try await exchange.get().text == "3")
    #expect(exchange.requests.last?.fields["If-None-Match"] == "\"2\"")
  }

  @Test func responsesThatVaryAreKeptApart() async throws {
    let exchange = try Exchange { request, number in
      HTTPResponse(
        fields: ["Cache-Control": "max-age=600", "Vary": "X-Who"],
        text: "\(request.fields["X-Who"] ?? "nobody") \(number)")
    }
    #expect(try await exchange.get("/", ["X-Who": "alice"]).text == "alice 1")
    #expect(try await exchange.get("/", ["X-Who": "bob"]).text == "bob 2")
    #expect(try await exchange.get("/").text == "nobody 3")
    #expect(try await exchange.get("/", ["X-Who": "alice"]).text == "alice 1")
    #expect(try await exchange.get("/", ["X-Who": "bob"]).text == "bob 2")
    #expect(try await exchange.get("/").text == "nobody 3")
  }

  @Test(arguments: ["POST", "PUT", "DELETE", "PATCH"])
  func whatChangesAResourceInvalidatesIt(method: String) async throws {
    let exchange = try Exchange(.memory, CacheExchange.numbered(["Cache-Control": "max-age=600"]))
    #expect(try await exchange.get().text == "1")
    _ = try await exchange.get(method: method)
    #expect(try await exchange.get().text == "3")
  }

  @Test func policies() async throws {
    let exchange = try Exchange { request, number in
      request.fields["If-None-Match"] == "\"v\""
        ? HTTPResponse(304)
        : HTTPResponse(fields: ["ETag": "\"v\"", "Cache-Control": "max-age=600"], text: "\(number)")
    }
    await #expect(throws: URLError.self) { try await exchange.get(policy: .returnCacheDataDontLoad) }
    #expect(exchange.requests.isEmpty)
    #expect(try await exchange.get(policy: .returnCacheDataElseLoad).text == "1")
    #expect(try await exchange.get(policy: .returnCacheDataDontLoad).text == "1")
    #expect(try await exchange.get(policy: .reloadIgnoringLocalCacheData).text == "2")
    #expect(try await exchange.get(policy: .reloadIgnoringLocalAndRemoteCacheData).text == "3")
    #expect(exchange.requests.last?.fields["Cache-Control"] == "no-cache")
    #expect(try await exchange.get(policy: .reloadRevalidatingCacheData).text == "3")
    #expect(exchange.requests.count == 4)
    #expect(try await exchange.get().text == "3")
    #expect(exchange.requests.count == 4)
  }

  @Test func onlyIfCachedAsksNobody() async throws {
    let exchange = try Exchange(.memory, CacheExchange.numbered(["Cache-Control": "max-age=600"]))
    #expect(try await exchange.get("/", ["Cache-Control": "only-if-cached"]).response.statusCode == 504)
    #expect(exchange.requests.isEmpty)
  }

  @Test(arguments: [
    "no-store", "max-age=0, no-store",
  ])
  func whatMayNotBeStoredIsNot(directives: String) async throws {
    let exchange = try Exchange(.memory, CacheExchange.numbered(["Cache-Control": directives]))
    _ = try await exchange.get()
    #expect(exchange.cache.currentMemoryUsage == 0)
    #expect(try await exchange.get().text == "2")
  }

  /// A body that ends early is an error, and nothing of it is stored.
  @Test(arguments: Tier.allCases)
  func whatIsCutOffIsNotStored(tier: Tier) async throws {
    let exchange = try Exchange(tier) { _, number in
      HTTPResponse(
        fields: [
          "Cache-Control": "max-age=600", "Content-Length": "\(number == 1 ? 100_000 : 5)", "Connection": "close",
        ],
        text: "whole")
    }
    await #expect(throws: URLError.self) { try await exchange.get() }
    #expect(try await exchange.get().text == "whole")
    #expect(exchange.requests.count == 2)
  }

  @Test func whatIsCancelledIsNotStored() async throws {
    let hasHead = AsyncEvent()
    let server = try ScriptedServer { connection in
      guard try connection.readRequest() != nil else { return }
      try connection.send("HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\nContent-Length: 10\r\n\r\nhalf")
      hasHead.signal()
      _ = connection.waitForPeerClose()
    }
    let cache = URLCache(memoryCapacity: 10_000_000, diskCapacity: 0)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = cache
    let session = URLSession(configuration: configuration)
    let load = Task { try await session.data(from: server.url("/")) }
    #expect(await hasHead.wait())
    load.cancel()
    await #expect(throws: URLError.self) { try await load.value }
    #expect(cache.currentMemoryUsage == 0)
    session.invalidateAndCancel()
  }

  @Test func aStaleResponseAnswersWhereTheServerFails() async throws {
    let exchange = try Exchange { _, number in
      number == 1
        ? HTTPResponse(fields: ["ETag": "\"v\"", "Cache-Control": "max-age=0, stale-if-error=600"], text: "kept")
        : number == 2 ? HTTPResponse(503, text: "broken") : HTTPResponse(404, text: "gone")
    }
    #expect(try await exchange.get().text == "kept")
    #expect(try await exchange.get().text == "kept")
    #expect(exchange.requests.count == 2)
    #expect(try await exchange.get().text == "gone")
  }

  @Test(arguments: Tier.allCases)
  func aStaleResponseAnswersWhereNoServerDoes(tier: Tier) async throws {
    let exchange = try Exchange(tier) { request, _ in
      let directives = request.path == "/kept" ? "max-age=0, stale-if-error=600" : "max-age=0, must-revalidate"
      return HTTPResponse(fields: ["ETag": "\"v\"", "Cache-Control": directives], text: request.path)
    }
    for path in ["/kept", "/checked"] { #expect(try await exchange.get(path).text == path) }
    #expect(await exchange.server.stop())
    let (text, response) = try await exchange.get("/kept")
    #expect(text == "/kept" && response.statusCode == 200 && response.value(forHTTPHeaderField: "Age") != nil)
    await #expect(throws: URLError.self) { try await exchange.get("/checked") }
    await #expect(throws: URLError.self) { try await exchange.get("/other") }
    #expect(exchange.requests.count == 2)
  }

  @Test func aStaleResponseIsRevalidatedBehindTheLoad() async throws {
    let exchange = try Exchange { _, number in
      HTTPResponse(
        fields: ["Cache-Control": number == 1 ? "max-age=0, stale-while-revalidate=600" : "max-age=600"],
        text: "\(number)")
    }
    #expect(try await exchange.get().text == "1")
    let stale = try await exchange.get().text
    #expect(stale == "1")
    #expect(await exchange.server.waitForRequests(2))
    let isRevalidated = try await eventually { (try? await exchange.get(policy: .returnCacheDataDontLoad).text) == "2" }
    #expect(isRevalidated)
    #expect(try await exchange.get().text == "2")
    #expect(exchange.requests.count == 2)
  }

  @Test func cookiesOfAStoredResponseAreNotSetAgain() async throws {
    let exchange = try Exchange(.memory, CacheExchange.numbered(["Cache-Control": "max-age=600", "Set-Cookie": "a=1"]))
    _ = try await exchange.get()
    let storage: HTTPCookieStorage = try #require(exchange.session.configuration.httpCookieStorage)
    #expect(storage.cookies?.count == 1)
    storage.removeCookies(since: .distantPast)
    #expect(try await exchange.get().text == "1")
    #expect(storage.cookies?.isEmpty == true)
  }

  @Test func aRangeIsCutFromWhatIsStored() async throws {
    let exchange = try Exchange { _, _ in
      HTTPResponse(fields: ["Cache-Control": "max-age=600", "ETag": "\"v\""], text: "0123456789")
    }
    _ = try await exchange.get()
    let (text, response) = try await exchange.get("/", ["Range": "bytes=2-4"])
    #expect(text == "234" && response.statusCode == 206 && response.contentRange?.fieldValue == "bytes 2-4/10")
    #expect(exchange.requests.count == 1)
  }

  @Test func aHeadIsAnsweredByWhatIsStored() async throws {
    let exchange = try Exchange { _, _ in
      HTTPResponse(fields: ["Cache-Control": "max-age=600", "ETag": "\"v\""], text: "0123456789")
    }
    _ = try await exchange.get()
    let (text, response) = try await exchange.get(method: "HEAD")
    #expect(text.isEmpty && response.statusCode == 200 && response.expectedContentLength == 10)
    #expect(exchange.requests.count == 1)
  }

  @Test func manyAtOnceAreRight() async throws {
    let exchange = try Exchange(.disk) { request, _ in
      HTTPResponse(fields: ["Cache-Control": "max-age=600"], text: String(repeating: request.target, count: 3000))
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<300 {
        group.addTask {
          let path = "/\(number % 50)"
          let text = try await exchange.get(path).text
          #expect(text == String(repeating: path, count: 3000))
        }
      }
      try await group.waitForAll()
    }
    for number in 0..<50 {
      let status = try await exchange.get("/\(number)").response.statusCode
      #expect(status == 200)
    }
  }

  @Test func aRestartedProgramFindsItsResponses() async throws {
    let exchange = try Exchange(.disk, CacheExchange.numbered(["Cache-Control": "max-age=600"]))
    #expect(try await exchange.get().text == "1")
    await withCheckedContinuation { done in exchange.cache.store?.flush { done.resume() } }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = URLCache(store: DiskCacheStore(directory: exchange.directory.path, capacity: 10_000_000))
    let session = URLSession(configuration: configuration)
    let (data, _) = try await session.data(from: exchange.server.url("/"))
    #expect(String(decoding: data, as: UTF8.self) == "1" && exchange.requests.count == 1)
    session.invalidateAndCancel()
  }
}
