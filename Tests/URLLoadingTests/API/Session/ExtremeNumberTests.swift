import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Numbers that no program should give: none of them ends it, and each load ends.
@Suite(.timeLimit(.minutes(4))) struct ExtremeNumberTests {
  private static let doubles: [Double] = [
    .nan, .signalingNaN, .infinity, -.infinity, 0, -0.0, -1, 1e-300, 0.001, 1e9, 1e18, 1e19, 1e300,
    .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, 0x1p63,
  ]
  private static let integers: [Int] = [
    .min, .min + 1, -65_536, -1, 0, 1, 2, 65_535, 65_536, 1 << 31, 1 << 32, .max - 1, .max,
  ]
  private static let dates: [Date] =
    [.distantPast, .distantFuture] + doubles.map { Date(timeIntervalSinceReferenceDate: $0) }

  private func pick<Value>(_ values: [Value], _ random: inout SeededGenerator) -> Value {
    values[Int(random.next() % UInt64(values.count))]
  }

  private func configuration(_ random: inout SeededGenerator) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.timeoutIntervalForRequest = pick(Self.doubles, &random)
    configuration.timeoutIntervalForResource = pick(Self.doubles, &random)
    configuration.httpMaximumConnectionsPerHost = pick(Self.integers, &random)
    configuration.maximumBufferedBytesPerTask = pick(Self.integers, &random)
    configuration.network.connectionTimeout = pick(Self.doubles, &random)
    configuration.network.maximumReceivedBytesPerSecond = pick([nil, .min, -1, 0, 1 << 20, .max], &random)
    configuration.network.maximumSentBytesPerSecond = pick([nil, .min, -1, 0, 1 << 20, .max], &random)
    configuration.network.maximumRedirects = pick(Self.integers, &random)
    configuration.waitsForConnectivity = random.next() % 2 == 0
    configuration.urlCache = URLCache(
      memoryCapacity: pick(Self.integers, &random), diskCapacity: pick([.min, -1, 0], &random))
    configuration.urlCache?.memoryCapacity = pick(Self.integers, &random)
    if let store = configuration.httpCookieStorage, let cookie = cookie(&random) { store.setCookie(cookie) }
    return configuration
  }

  private func cookie(_ random: inout SeededGenerator) -> HTTPCookie? {
    HTTPCookie(properties: [
      .name: "a", .value: "b", .domain: "127.0.0.1", .path: "/", .expires: pick(Self.dates, &random),
      .maximumAge: "\(pick(Self.doubles, &random))", .version: "\(pick(Self.integers, &random))",
      .port: "\(pick(Self.integers, &random))",
    ])
  }

  private func prepare(_ task: URLSessionTask, _ random: inout SeededGenerator) {
    task.priority = Float(pick(Self.doubles, &random))
    task.earliestBeginDate = pick(Self.dates, &random)
    task.countOfBytesClientExpectsToSend = Int64(pick(Self.integers, &random))
    task.countOfBytesClientExpectsToReceive = Int64(pick(Self.integers, &random))
    task.progress.totalUnitCount = Int64(pick(Self.integers, &random))
  }

  @Test func everyLoadEnds() async throws {
    let server = try ScriptedServer.http { _ in
      HTTPResponse(fields: ["Cache-Control": "max-age=10"], text: "hello")
    }
    try await FuzzRounds.run(60, sharedBy: 1) { random, seed in
      let session = URLSession(configuration: configuration(&random))
      defer { session.invalidateAndCancel() }
      var request = URLRequest(
        url: server.url("/\(seed % 4)"), cachePolicy: .useProtocolCachePolicy,
        timeoutInterval: pick(Self.doubles, &random))
      request.timeoutInterval = pick(Self.doubles, &random)
      request.setValue(
        "bytes=\(pick(Self.integers, &random))-\(pick(Self.integers, &random))", forHTTPHeaderField: "Range")
      let ended = Watched(false)
      let task = session.dataTask(with: request) { _, _, _ in ended.update { $0 = true } }
      prepare(task, &random)
      task.resume()
      // What sets no limit may wait for its turn for ever, at a byte a second: that it goes on is what counts.
      if await !ended.wait(timeout: .milliseconds(500), until: { $0 }) { task.cancel() }
      #expect(await ended.wait(timeout: .seconds(20), until: { $0 }), "seed \(seed)")
    }
  }

  @Test func everyValueIsWrittenAndRead() async throws {
    try await FuzzRounds.run(300, sharedBy: 1) { random, seed in
      let url = try #require(URL(string: "https://a.test/\(seed)"))
      var request = URLRequest(url: url)
      request.timeoutInterval = pick(Self.doubles, &random)
      #expect(request.hashValue == request.hashValue && request.description.isEmpty == false)
      let responses = [
        HTTPURLResponse(url: url, statusCode: pick(Self.integers, &random), httpVersion: nil, headerFields: nil),
        URLResponse(
          url: url, mimeType: nil, expectedContentLength: pick(Self.integers, &random), textEncodingName: nil),
      ]
      for case let response? in responses {
        let data = try NSKeyedArchiver.archivedData(withRootObject: response, requiringSecureCoding: false)
        _ = try? NSKeyedUnarchiver.unarchivedObject(ofClass: URLResponse.self, from: data)
        _ = response.suggestedFilename
        let cached = CachedURLResponse(response: response, data: Data())
        let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0)
        cache.storeCachedResponse(cached, for: request)
        cache.removeCachedResponses(since: pick(Self.dates, &random))
      }
      if let cookie = cookie(&random) {
        _ = cookie.expiresDate
        HTTPCookieStorage.sharedCookieStorage(forGroupContainerIdentifier: "numbers-\(seed)")
          .removeCookies(since: pick(Self.dates, &random))
      }
      _ = ContentRange(
        firstByte: Int64(pick(Self.integers, &random)), lastByte: Int64(pick(Self.integers, &random)),
        completeLength: Int64(pick(Self.integers, &random)))
      _ = ResourceValidators(entityTag: nil, lastModified: pick(Self.dates, &random))
      _ = URLProtectionSpace(
        host: "a.test", port: pick(Self.integers, &random), protocol: nil, realm: nil, authenticationMethod: nil)
      _ = HTTPURLResponse.localizedString(forStatusCode: pick(Self.integers, &random))
    }
  }

  @Test(arguments: integers) func aStreamTaskWithoutAPortFailsWithItsOwnError(port: Int) async throws {
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    let task = session.streamTask(withHostName: "a", port: port)
    guard !(1...65_535).contains(port) else { return }
    task.resume()
    let error = await #expect(throws: URLError.self) {
      try await task.readData(ofMinLength: 1, maxLength: 1, timeout: 10)
    }
    #expect(error?.code == .badURL && error?.localizedDescription.contains("\(port)") == true)
  }

  @Test func aStreamsReadsAndWritesEnd() async throws {
    let server = try ScriptedServer { connection in _ = connection.waitForPeerClose(timeout: .seconds(60)) }
    try await FuzzRounds.run(40, sharedBy: 1) { random, seed in
      let configuration = URLSessionConfiguration.ephemeral
      configuration.connectionProxyDictionary = [:]
      let session = URLSession(configuration: configuration)
      defer { session.invalidateAndCancel() }
      let task = session.streamTask(withHostName: "127.0.0.1", port: Int(server.port))
      task.resume()
      let ended = Watched(0)
      task.write(Data("x".utf8), timeout: pick(Self.doubles, &random)) { _ in ended.update { $0 += 1 } }
      task.readData(
        ofMinLength: pick(Self.integers, &random), maxLength: pick(Self.integers, &random),
        timeout: pick(Self.doubles, &random)
      ) { _, _, _ in ended.update { $0 += 1 } }
      if await !ended.wait(timeout: .milliseconds(100), until: { $0 == 2 }) { task.cancel() }
      #expect(await ended.wait(timeout: .seconds(20), until: { $0 == 2 }), "seed \(seed)")
    }
  }

  @Test func aReadWithATimeoutThatIsNoNumberEnds() async throws {
    let server = try ScriptedServer { connection in _ = connection.waitForPeerClose(timeout: .seconds(60)) }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    let session = URLSession(configuration: configuration)
    defer { session.invalidateAndCancel() }
    let task = session.streamTask(withHostName: "127.0.0.1", port: Int(server.port))
    task.resume()
    let error = await #expect(throws: URLError.self) {
      try await task.readData(ofMinLength: 1, maxLength: 1, timeout: .nan)
    }
    #expect(error?.code == .timedOut)
  }
}
