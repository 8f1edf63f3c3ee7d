import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// What storages know of tasks: partitions, and subclasses that are asked by the methods with a task.
@Suite(.timeLimit(.minutes(4))) struct CookieStorageOfTasksTests {
  /// `/set?a=1` sets a cookie, `/hop` sets one and redirects, all else answers with the cookies it got.
  private static func server() throws -> ScriptedServer {
    try .http { request in
      if request.path == "/set" {
        let value = request.target.split(separator: "?").last.map(String.init) ?? ""
        return HTTPResponse(fields: HTTPFields([(name: "Set-Cookie", value: value + "; Path=/")]))
      }
      if request.path == "/hop" {
        return HTTPResponse(302, fields: ["Location": "/echo", "Set-Cookie": "hop=1; Path=/"])
      }
      return HTTPResponse(text: request.fields.all("Cookie").joined(separator: "|"))
    }
  }

  private func request(_ url: URL, in partition: String?) -> URLRequest {
    var request = URLRequest(url: url)
    request.cookiePartitionIdentifier = partition
    return request
  }

  // MARK: Partitions

  @Test func partitionsAreKeptApart() async throws {
    let server = try Self.server()
    let client = RecordedSession()
    for partition in ["a", "b", nil] {
      _ = await client.load(request(server.url("/set?p=\(partition ?? "none")"), in: partition))
    }
    for partition in ["a", "b", nil] {
      #expect(await client.load(request(server.url("/echo"), in: partition)).text == "p=\(partition ?? "none")")
    }
    #expect(await client.load(request(server.url("/echo"), in: "c")).text.isEmpty)
    let storage = try #require(client.session.configuration.httpCookieStorage)
    #expect(storage.cookies?.map(\.value) == ["none"])
    #expect(storage.cookies(for: server.url("/"))?.map(\.value) == ["none"])
  }

  @Test func aRedirectStaysInItsPartition() async throws {
    let server = try Self.server()
    let client = RecordedSession()
    #expect(await client.load(request(server.url("/hop"), in: "a")).text == "hop=1")
    #expect(await client.load(request(server.url("/echo"), in: nil)).text.isEmpty)
  }

  @Test func tasksReachTheirPartition() async throws {
    let client = RecordedSession()
    let storage = try #require(client.session.configuration.httpCookieStorage)
    let task = client.session.dataTask(with: request("http://a.example/x", in: "a"))
    let other = client.session.dataTask(with: request("http://a.example/y", in: nil))
    let cookie = try #require(HTTPCookie(properties: [.name: "n", .value: "v", .domain: "a.example", .path: "/"]))
    storage.storeCookies([cookie], for: task)
    #expect(await found(storage, task) == ["v"])
    #expect(await found(storage, other) == [])
    storage.storeCookies([cookie], for: other)
    #expect(await found(storage, other) == ["v"])
    storage.deleteCookie(cookie)
    #expect(await found(storage, other) == [])
    #expect(await found(storage, task) == ["v"])
    storage.removeCookies(since: .distantPast)
    #expect(await found(storage, task) == [])
  }

  private func found(_ storage: HTTPCookieStorage, _ task: URLSessionTask) async -> [String]? {
    await withCheckedContinuation { continuation in
      storage.getCookiesFor(task) { continuation.resume(returning: $0?.map(\.value)) }
    }
  }

  // MARK: Without a partition

  @Test func aTasksRequestDecides() async throws {
    let session = URLSession(configuration: .ephemeral)
    let storage = HTTPCookieStorage()
    var foreign = URLRequest(url: "http://a.example/x")
    foreign.mainDocumentURL = "http://other.example/"
    let lax = try #require(
      HTTPCookie(properties: [
        .name: "n", .value: "lax", .domain: "a.example", .path: "/",
        .sameSitePolicy: HTTPCookieStringPolicy.sameSiteLax,
      ]))
    let other = try #require(HTTPCookie(properties: [.name: "m", .value: "v", .domain: "b.example", .path: "/"]))
    let task = session.dataTask(with: URL(stringLiteral: "http://a.example/x"))
    storage.storeCookies([lax, other], for: task)
    #expect(await found(storage, task) == ["lax"])
    #expect(await found(storage, session.dataTask(with: foreign)) == [])
    storage.cookieAcceptPolicy = .never
    storage.removeCookies(since: .distantPast)
    storage.storeCookies([lax], for: task)
    #expect(await found(storage, task) == [])
    #expect(await found(storage, URLSessionTask()) == nil)
    storage.storeCookies([lax], for: URLSessionTask())
  }

  // MARK: Subclasses

  /// Keeps cookies itself, and answers from another thread.
  final class Tasks: HTTPCookieStorage, @unchecked Sendable {
    let kept = Watched<[HTTPCookie]>([])
    let asked = Watched<[URL?]>([])

    override func getCookiesFor(
      _ task: URLSessionTask, completionHandler: @escaping @Sendable ([HTTPCookie]?) -> Void
    ) {
      asked.update { $0.append(task.currentRequest?.url) }
      let kept = kept.value
      DispatchQueue.global().async {
        completionHandler(kept)
        completionHandler([])
      }
    }
    override func storeCookies(_ cookies: [HTTPCookie], for task: URLSessionTask) {
      kept.update { $0 += cookies }
    }
  }

  /// Knows the methods without a task alone.
  final class URLs: HTTPCookieStorage, @unchecked Sendable {
    let stored = Watched<[[String]]>([])
    override func cookies(for url: URL) -> [HTTPCookie]? {
      ["lax", "none"].compactMap {
        HTTPCookie(properties: [
          .name: $0, .value: "1", .domain: url.host() ?? "", .path: "/", .sameSitePolicy: $0,
        ])
      }
    }
    override func setCookies(_ cookies: [HTTPCookie], for url: URL?, mainDocumentURL: URL?) {
      stored.update { $0.append(cookies.map(\.name)) }
    }
  }

  @Test(arguments: LoadKind.allCases) func aSubclassIsAskedByItsTasks(_ kind: LoadKind) async throws {
    let server = try Self.server()
    let storage = Tasks()
    let client = RecordedSession { $0.httpCookieStorage = storage }
    _ = await client.load(server.url("/set?a=1"), as: kind)
    #expect(storage.kept.value.map(\.name) == ["a"] && storage.cookies == [])
    #expect(await client.load(server.url("/hop"), as: kind).text == "a=1; hop=1")
    #expect(storage.asked.value == [server.url("/set?a=1"), server.url("/hop"), server.url("/echo")])
    var own = URLRequest(url: server.url("/echo"))
    own.httpShouldHandleCookies = false
    #expect(await client.load(own, as: kind).text.isEmpty)
    own = URLRequest(url: server.url("/echo"))
    own.setValue("mine=1", forHTTPHeaderField: "Cookie")
    #expect(await client.load(own, as: kind).text == "mine=1")
    #expect(storage.asked.value.count == 3)
  }

  @Test func aSubclassThatKnowsNoTasksIsAskedByTheURL() async throws {
    let server = try Self.server()
    let storage = URLs()
    let client = RecordedSession { $0.httpCookieStorage = storage }
    #expect(await client.load(server.url("/echo")).text == "lax=1; none=1")
    var foreign = URLRequest(url: server.url("/echo"))
    foreign.mainDocumentURL = "http://other.example/"
    #expect(await client.load(foreign).text == "none=1")
    _ = await client.load(server.url("/set?a=1"))
    #expect(storage.stored.value == [["a"]])
    client.session.invalidateAndCancel()
  }

  @Test func theSessionsPolicyHoldsForASubclass() async throws {
    let server = try Self.server()
    let storage = Tasks()
    let never = RecordedSession {
      $0.httpCookieStorage = storage
      $0.httpCookieAcceptPolicy = .never
    }
    _ = await never.load(server.url("/set?a=1"))
    let sites = RecordedSession { $0.httpCookieStorage = storage }
    var foreign = URLRequest(url: server.url("/set?a=1"))
    foreign.mainDocumentURL = "http://other.example/"
    _ = await sites.load(foreign)
    #expect(storage.kept.value.isEmpty)
  }

  @Test func cancellingWhileASubclassIsAskedEndsTheLoad() async throws {
    final class Silent: HTTPCookieStorage, @unchecked Sendable {
      let handler = Watched<(@Sendable ([HTTPCookie]?) -> Void)?>(nil)
      override func getCookiesFor(
        _ task: URLSessionTask, completionHandler: @escaping @Sendable ([HTTPCookie]?) -> Void
      ) { handler.update { $0 = completionHandler } }
    }
    let server = try Self.server()
    let storage = Silent()
    let client = RecordedSession { $0.httpCookieStorage = storage }
    let task = client.session.dataTask(with: server.url("/echo"))
    task.resume()
    #expect(await storage.handler.wait { $0 != nil })
    task.cancel()
    #expect(await client.recorder.records.wait { $0[task.taskIdentifier]?.completions == 1 })
    #expect(client.recorder.record(of: task.taskIdentifier).code == .cancelled)
    storage.handler.value?([])
    #expect(await client.load("data:,x").text == "x")
    #expect(server.connectionCount == 0)
  }
}
