import Foundation
import Testing
import URLLoading
import URLLoadingRedis
import URLLoadingTestServers

/// What becomes of loads whose Redis ends or freezes, and of those that wait for a load that does not end.
@Suite(.timeLimit(.minutes(4))) struct RedisFaultTests {
  // MARK: Redis

  /// In the middle of the work of four processes their Redis gets a signal.
  @Test(arguments: [SIGKILL, SIGSTOP]) func aFleetWhoseRedisSaysNoMoreGoesOn(signal: Int32) async throws {
    let redis = try await RedisServer.start()
    let fleet = try await Fleet { request, _ in
      HTTPResponse(fields: ["Cache-Control": "max-age=60"], text: "body of \(request.target)")
    }
    async let outputs = fleet.runWorkers(on: redis)
    #expect(await fleet.server.waitForRequests(300, timeout: .seconds(60)))
    redis.send(signal: signal)
    let before = fleet.server.requests.count
    for output in try await outputs { #expect(output.contains("right 1000"), "\(output)") }
    // Each asks for itself from there on: it was the middle indeed.
    #expect(fleet.server.requests.count > max(before, 1010), "\(fleet.server.requests.count) requests")
    // One that is frozen does not end politely.
    redis.send(signal: SIGKILL)
    await redis.stop()
  }

  // MARK: Loads that others wait for

  /// Its server answers the first request when it is told to, and others at once.
  private static func slowFleet(_ release: AsyncEvent, redis: URL? = nil) async throws -> Fleet {
    try await Fleet(redis: redis) { _, number in
      if number == 1 { _ = release.waitBlocking() }
      return HTTPResponse(fields: ["Cache-Control": "max-age=60"], text: "\(number)")
    }
  }

  @Test func aLoadThatHasWaitedForTheLimitAsksItself() async throws {
    let release = AsyncEvent()
    defer { release.signal() }
    let fleet = try await Self.slowFleet(release)
    let store = try fleet.store {
      $0.waitLimit = .milliseconds(400)
      $0.lease = .seconds(600)
    }
    let holder = try fleet.member(store)
    let first = Task { try await fleet.get(holder) }
    #expect(await fleet.server.waitForRequests(1, timeout: .seconds(60)))
    let begin = ContinuousClock.now
    #expect(try await fleet.get(fleet.member(store)) == "2")
    // A look that would come after the limit is not waited for.
    #expect(ContinuousClock.now - begin > .milliseconds(300))
    // The first one has been at it all the time.
    #expect(!release.isSignalled)
    release.signal()
    #expect(try await first.value == "1")
  }

  @Test func theLeaseOfAKilledProcessEnds() async throws {
    let redis = try await RedisServer.start()
    let release = AsyncEvent()
    defer { release.signal() }
    let fleet = try await Self.slowFleet(release, redis: redis.url())
    let folder = try TemporaryDirectory("redis-worker")
    let log = folder.file("log")
    let worker = try ChildProcess(
      BuiltProgram.path("URLLoadingRedisWorker"),
      [redis.url().absoluteString, fleet.server.url("/").absoluteString, "1", "1", "2500"], output: log, error: log)
    #expect(await fleet.server.waitForRequests(1, timeout: .seconds(60)))
    worker.send(signal: SIGKILL)
    #expect(await worker.waitForExit() == .signalled(SIGKILL))
    // Its lock is still there.
    #expect(try await redis.keys("*:lock").count == 1)
    let store = try fleet.store {
      // That of the worker.
      $0.prefix = RedisCacheStore.Options().prefix
      $0.waitLimit = .seconds(600)
      $0.lease = .seconds(600)
    }
    #expect(try await fleet.get(fleet.member(store), "/0") == "2")
    await redis.stop()
  }

  // MARK: What Redis must not have

  @Test func redisHearsNothingOfAPassword() async throws {
    let spy = try ScriptedServer { connection in
      while !(try connection.readSome()).isEmpty { try connection.send("*0\r\n") }
    }
    var address = try #require(URLComponents(url: spy.url("/"), resolvingAgainstBaseURL: false))
    (address.scheme, address.path) = ("redis", "")
    let fleet = try await Fleet(redis: address.url, Fleet.numbered(["Cache-Control": "max-age=60"]))
    let session = try fleet.member(memory: 1_000_000)
    var components = try #require(URLComponents(url: fleet.server.url("/"), resolvingAgainstBaseURL: false))
    (components.user, components.password) = ("user", "hunter2")
    let url = try #require(components.url)
    for _ in 0..<2 { #expect(try await session.data(from: url).0 == Data("1".utf8)) }
    session.configuration.urlCache?.removeCachedResponse(for: URLRequest(url: url))
    #expect(try await session.data(from: url).0 == Data("2".utf8))
    #expect(spy.connectionCount == 0)
    // Of another URL it does.
    _ = try await fleet.get(session, "/plain")
    #expect(spy.connectionCount > 0)
  }

  @Test func whatIsAllowedInMemoryOnlyIsNotShared() async throws {
    let fleet = try await Fleet(Fleet.numbered(["Cache-Control": "max-age=60"]))
    let delegate = CacheDecider {
      CachedURLResponse(response: $0.response, data: $0.data, storagePolicy: .allowedInMemoryOnly)
    }
    let session = URLSession(
      configuration: try fleet.member(memory: 1_000_000).configuration, delegate: delegate, delegateQueue: nil)
    for number in 1...2 {
      session.dataTask(with: fleet.server.url("/")).resume()
      #expect(await delegate.completions.wait { $0 == number })
    }
    #expect(fleet.server.requests.count == 1)
    #expect(try await fleet.get(fleet.member()) == "2")
    session.invalidateAndCancel()
  }

  // MARK: Coded bodies

  /// The coding is undone once, before anything is stored.
  @Test func aBodyThatCameCodedIsSharedAsItIs() async throws {
    let fleet = try await Fleet { _, _ in
      HTTPResponse(
        fields: ["Cache-Control": "max-age=60", "Content-Encoding": "gzip", "Vary": "Accept-Encoding"],
        body: CodedText.gzip)
    }
    for _ in 0..<2 { #expect(try await fleet.get(fleet.member()) == CodedText.text) }
    #expect(fleet.server.requests.count == 1)
  }
}
