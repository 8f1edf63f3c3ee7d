import Foundation
import Testing
import URLLoading
import URLLoadingRedis
import URLLoadingTestServers

/// Loads that share what they load through a real Redis.
@Suite(.timeLimit(.minutes(2))) struct RedisCacheStoreTests {
  @Test func whatOneHasLoadedAnswersAnother() async throws {
    let fleet = try await Fleet(Fleet.numbered(["Cache-Control": "max-age=60"]))
    #expect(try await fleet.get(fleet.member()) == "1")
    #expect(try await fleet.get(fleet.member()) == "1")
    #expect(fleet.server.requests.count == 1)
  }

  @Test func largeBodiesComeBackByteForByte() async throws {
    let body = TestFiles.pattern(count: 3_000_000)
    let fleet = try await Fleet { _, _ in HTTPResponse(fields: ["Cache-Control": "max-age=60"], body: body) }
    for _ in 0..<2 {
      let (data, _) = try await fleet.member().data(from: fleet.server.url("/"))
      #expect(difference(data, from: body) == nil)
    }
    #expect(fleet.server.requests.count == 1)
  }

  /// RFC 9111, sections 3, 3.5, 5.2.2.7, 5.2.2.10.
  @Test(arguments: [
    (["Cache-Control": "max-age=60"], ["Authorization": "Bearer x"], false),
    (["Cache-Control": "public, max-age=60"], ["Authorization": "Bearer x"], true),
    (["Cache-Control": "s-maxage=60"], ["Authorization": "Bearer x"], true),
    (["Cache-Control": "private, max-age=60"], [:], false),
    (["Cache-Control": "max-age=60", "Set-Cookie": "a=b"], [:], false),
    (["Cache-Control": "no-store"], [:], false),
    (["Cache-Control": "max-age=0, s-maxage=60"], [:], true),
    (["Cache-Control": "max-age=60, s-maxage=0"], [:], false),
    (["Cache-Control": "max-age=60", "Vary": "Cookie"], ["Cookie": "a=b"], false),
  ])
  func onlyWhatIsForAllIsShared(response: [String: String], request: [String: String], isShared: Bool) async throws {
    let fields = URLLoadingTestServers.HTTPFields(response.map { ($0.key, $0.value) })
    let fleet = try await Fleet(Fleet.numbered(fields))
    #expect(try await fleet.get(fleet.member(), "/", request) == "1")
    #expect(try await fleet.get(fleet.member(), "/", request) == (isShared ? "1" : "2"))
  }

  @Test func fieldsThatArePrivateAreNotShared() async throws {
    let fleet = try await Fleet(
      Fleet.numbered(["Cache-Control": "max-age=60, private=\"set-cookie\"", "Set-Cookie": "a=b", "X-Other": "c"]))
    #expect(try await fleet.get(fleet.member()) == "1")
    let session = try fleet.member()
    let (data, response) = try await session.data(from: fleet.server.url("/"))
    #expect(String(decoding: data, as: UTF8.self) == "1")
    #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Set-Cookie") == nil)
    #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-Other") == "c")
  }

  /// A credential of the session is not seen in the request, and is one of this user all the same.
  @Test func whatACredentialHasOpenedIsNotShared() async throws {
    let fleet = try await Fleet { request, number in
      request.fields["Authorization"] == nil
        ? HTTPResponse(401, fields: ["WWW-Authenticate": "Basic realm=\"x\""])
        : HTTPResponse(fields: ["Cache-Control": "max-age=60"], text: "secret")
    }
    let configuration = try fleet.member().configuration
    let space = URLProtectionSpace(
      host: "127.0.0.1", port: fleet.server.url("/").port ?? 0, protocol: "http", realm: "x",
      authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    configuration.urlCredentialStorage?.setDefaultCredential(
      URLCredential(user: "u", password: "p", persistence: .forSession), for: space)
    #expect(try await fleet.get(URLSession(configuration: configuration)) == "secret")
    let other = try await fleet.member().data(from: fleet.server.url("/")).1
    #expect((other as? HTTPURLResponse)?.statusCode == 401)
  }

  @Test(arguments: [
    (["Cache-Control": "max-age=60", "Set-Cookie": "a=b"], "2"), (["Cache-Control": "max-age=60"], "1"),
  ])
  func aDelegateSharesOnlyWhatIsForAll(response: [String: String], second: String) async throws {
    let fleet = try await Fleet(Fleet.numbered(URLLoadingTestServers.HTTPFields(response.map { ($0.key, $0.value) })))
    let delegate = CacheDecider { $0 }
    let session = URLSession(
      configuration: try fleet.member().configuration, delegate: delegate, delegateQueue: nil)
    session.dataTask(with: fleet.server.url("/")).resume()
    #expect(await delegate.completions.wait { $0 == 1 })
    #expect(try await fleet.get(fleet.member()) == second)
    session.invalidateAndCancel()
  }

  /// The whole of a part and its completion has the fields of both.
  @Test func aCookieThatComesWithACompletionIsNotShared() async throws {
    let text = "0123456789"
    let fleet = try await Fleet { request, number in
      var fields: URLLoadingTestServers.HTTPFields = ["ETag": "\"v\"", "Cache-Control": "max-age=60"]
      guard let range = request.fields["Range"] else { return HTTPResponse(fields: fields, text: text) }
      let isFirst = range == "bytes=0-4"
      fields["Content-Range"] = isFirst ? "bytes 0-4/10" : "bytes 5-9/10"
      if !isFirst { fields["Set-Cookie"] = "sid=\(number)" }
      return HTTPResponse(206, fields: fields, text: String(isFirst ? text.prefix(5) : text.suffix(5)))
    }
    #expect(try await fleet.get(fleet.member(), "/", ["Range": "bytes=0-4"]) == "01234")
    for _ in 0..<2 { #expect(try await fleet.get(fleet.member()) == text) }
    let (_, response) = try await fleet.member().data(from: fleet.server.url("/"))
    #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Set-Cookie") == nil)
  }

  private final class OwnCache: URLCache, @unchecked Sendable {}

  @Test func aSubclassOfTheCacheDoesNotStopTheLoop() async throws {
    let fleet = try await Fleet(Fleet.numbered(["Cache-Control": "max-age=60"]))
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.urlCache = OwnCache(store: try fleet.store(), memoryCapacity: 0)
    let session = URLSession(configuration: configuration)
    for _ in 0..<2 { #expect(try await fleet.get(session) == "1") }
    session.invalidateAndCancel()
  }

  @Test func aValidationRefreshesWhatAllHave() async throws {
    let fleet = try await Fleet { request, number in
      request.fields["If-None-Match"] == "\"v\""
        ? HTTPResponse(304, fields: ["Cache-Control": "max-age=60"])
        : HTTPResponse(fields: ["Cache-Control": "max-age=0", "ETag": "\"v\""], text: "\(number)")
    }
    for _ in 0..<3 { #expect(try await fleet.get(fleet.member()) == "1") }
    #expect(fleet.server.requests.count == 2)
  }

  @Test func whatIsRemovedIsGoneForAll() async throws {
    let fleet = try await Fleet(Fleet.numbered(["Cache-Control": "max-age=60"]))
    let session = try fleet.member()
    #expect(try await fleet.get(session) == "1")
    await session.reset()
    #expect(try await fleet.get(fleet.member()) == "2")
    session.configuration.urlCache?.removeCachedResponses(since: .distantPast)
    await session.flush()
    #expect(try await fleet.get(fleet.member()) == "3")
    session.configuration.urlCache?.removeCachedResponses(since: .distantFuture)
    await session.flush()
    #expect(try await fleet.get(fleet.member()) == "3")
  }

  // MARK: Misses at once

  @Test func ofManyMissesAtOnceOneAsks() async throws {
    let fleet = try await Fleet { request, _ in
      HTTPResponse(fields: ["Cache-Control": "max-age=60"], text: "body of \(request.target)")
    }
    // A load that no longer waits asks, as it should: here none gets that far, however slow the machine is.
    let members = try (0..<4).map { _ in
      try fleet.member(
        fleet.store {
          ($0.timeout, $0.waitLimit, $0.lease) = (.seconds(600), .seconds(600), .seconds(600))
        })
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for member in members {
        for number in 0..<25 {
          group.addTask {
            let text = try await fleet.get(member, "/\(number)")
            #expect(text == "body of /\(number)")
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(fleet.server.requests.count == 25)
  }

  @Test func whatMayNotBeStoredIsNotWaitedForTwice() async throws {
    let fleet = try await Fleet(Fleet.numbered(["Cache-Control": "no-store"]))
    // A wait would be longer than the test may take.
    let store = try fleet.store {
      $0.waitLimit = .seconds(600)
      $0.lease = .seconds(600)
    }
    let sessions = try (0..<10).map { _ in try fleet.member(store) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for session in sessions { group.addTask { _ = try await fleet.get(session) } }
      try await group.waitForAll()
    }
    #expect(fleet.server.requests.count == 10)
  }

  @Test func aCancelledLoadLetsAnotherOneLoad() async throws {
    let server = try ScriptedServer { connection in
      // Nothing is ever answered.
      _ = try connection.readRequest()
      _ = connection.waitForPeerClose()
    }
    let fleet = try await Fleet(Fleet.numbered(["Cache-Control": "max-age=60"]))
    let store = try fleet.store {
      $0.waitLimit = .seconds(600); $0.lease = .seconds(600)
    }
    let first = try fleet.member(store).dataTask(with: server.url("/"))
    first.resume()
    #expect(await server.waitForConnections(1))
    let ended = Watched<URLError?>(nil)
    let second = try fleet.member(store).dataTask(with: URLRequest(url: server.url("/"))) { _, _, error in
      ended.update { $0 = error as? URLError }
    }
    second.resume()
    first.cancel()
    // It gets its turn, and a connection of its own.
    #expect(await server.waitForConnections(2))
    second.cancel()
    #expect(await ended.wait { $0?.code == .cancelled })
  }

  /// Four processes that load the same 1,000 URLs.
  @Test func aFleetAsksOnceForEach() async throws {
    let fleet = try await Fleet { request, _ in
      HTTPResponse(fields: ["Cache-Control": "max-age=60"], text: "body of \(request.target)")
    }
    let redis = try await RedisServer.start()
    let outputs = try await fleet.runWorkers(on: redis)
    for output in outputs { #expect(output.contains("right 1000"), "\(output)") }
    #expect(fleet.server.requests.count <= 1010, "\(fleet.server.requests.count) requests")
    await redis.stop()
  }

  // MARK: Servers that fail

  @Test func withoutRedisLoadsGoOn() async throws {
    let url: URL = try #require(URL(string: "redis://127.0.0.1:\(FreePort.pick())"))
    let fleet = try await Fleet(
      redis: url, Fleet.numbered(["Cache-Control": "max-age=60"]))
    let session = try fleet.member()
    for number in 1...3 { #expect(try await fleet.get(session) == "\(number)") }
  }

  @Test func aSilentRedisCostsOneWait() async throws {
    let silent = try ScriptedServer { _ = $0.waitForPeerClose(timeout: .seconds(30)) }
    var address = try #require(URLComponents(url: silent.url("/"), resolvingAgainstBaseURL: false))
    (address.scheme, address.path) = ("redis", "")
    let url: URL = try #require(address.url)
    let fleet = try await Fleet(redis: url, Fleet.numbered(["Cache-Control": "max-age=60"]))
    let session = try fleet.member(fleet.store { $0.timeout = .milliseconds(200) })
    let begin = ContinuousClock.now
    for number in 1...20 { #expect(try await fleet.get(session) == "\(number)") }
    // Each load would wait several times, if a server that has failed were asked again at once.
    #expect(ContinuousClock.now - begin < .seconds(10))
  }

  @Test(arguments: [
    "-ERR no\r\n", "$-1\r\n", ":5\r\n", "*2\r\n$1\r\na\r\n$1\r\nb\r\n", "garbage\r\n", "$99999999999\r\n",
    "*1000000000\r\n", "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n", "",
  ])
  func aLyingRedisCostsHits(reply: String) async throws {
    let liar = try ScriptedServer { connection in
      while !(try connection.readSome()).isEmpty { try connection.send(reply) }
    }
    var address = try #require(URLComponents(url: liar.url("/"), resolvingAgainstBaseURL: false))
    (address.scheme, address.path) = ("redis", "")
    let url: URL = try #require(address.url)
    let fleet = try await Fleet(redis: url, Fleet.numbered(["Cache-Control": "max-age=60"]))
    let session = try fleet.member(fleet.store { $0.timeout = .milliseconds(100) })
    for number in 1...3 { #expect(try await fleet.get(session) == "\(number)") }
  }

  /// The commands that open a connection have no part in the deadlines of those that follow.
  @Test func aRedisThatStallsAfterTheGreetingCostsOneWait() async throws {
    let stalling = try ScriptedServer { connection in
      _ = try connection.readSome()
      try connection.send("+OK\r\n")
      _ = connection.waitForPeerClose(timeout: .seconds(30))
    }
    var address = try #require(URLComponents(url: stalling.url("/"), resolvingAgainstBaseURL: false))
    (address.scheme, address.path) = ("redis", "/1")
    let url: URL = try #require(address.url)
    let fleet = try await Fleet(redis: url, Fleet.numbered(["Cache-Control": "max-age=60"]))
    let begin = ContinuousClock.now
    #expect(try await fleet.get(fleet.member(fleet.store { $0.timeout = .milliseconds(200) })) == "1")
    #expect(ContinuousClock.now - begin < .seconds(20))
  }

  @Test(arguments: [("right", "1"), ("wrong", "2")])
  func aPasswordIsGiven(password: String, second: String) async throws {
    let redis = try await RedisServer.start(password: "right")
    var address = try #require(URLComponents(url: redis.url(), resolvingAgainstBaseURL: false))
    (address.user, address.password) = ("", password)
    let url: URL = try #require(address.url)
    let fleet = try await Fleet(redis: url, Fleet.numbered(["Cache-Control": "max-age=60"]))
    #expect(try await fleet.get(fleet.member()) == "1")
    #expect(try await fleet.get(fleet.member()) == second)
    await redis.stop()
  }

  // MARK: Addresses

  @Test(arguments: ["redis://", "http://host", "rediss://host", "unix:", "redis://host/db", "redis://host/-1"])
  func anAddressThatIsNoneIsRefused(text: String) throws {
    let url = try #require(URL(string: text))
    let error = #expect(throws: URLError.self) { try RedisCacheStore(url: url) }
    #expect(error?.localizedDescription.contains("where Redis is") == true)
  }
}
