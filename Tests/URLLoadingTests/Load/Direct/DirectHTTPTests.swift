import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Loads by HTTP that go directly, and where they become whole ones.
@Suite(.timeLimit(.minutes(4))) struct DirectHTTPTests {
  struct Outcome: Sendable {
    var data: Data?
    var response: HTTPURLResponse?
    var error: URLError?
    /// Whether the load went directly to its end.
    var wasDirect = false

    var text: String { String(decoding: data ?? Data(), as: UTF8.self) }
  }

  private static func session(_ change: (URLSessionConfiguration) -> Void = { _ in }) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration[DirectLaneSettings.self].isOpen = true
    change(configuration)
    return URLSession(configuration: configuration)
  }

  /// - Parameter meanwhile: called when the task was resumed.
  static func load(
    _ request: URLRequest, in session: URLSession, meanwhile: (URLSessionTask) async throws -> Void
  ) async throws -> Outcome {
    let outcome = Watched<Outcome?>(nil)
    let task = session.dataTask(with: request) { data, response, error in
      outcome.update { $0 = Outcome(data: data, response: response as? HTTPURLResponse, error: error as? URLError) }
    }
    task.resume()
    try await meanwhile(task)
    return await finish(task, outcome)
  }

  static func load(_ request: URLRequest, in session: URLSession) async -> Outcome {
    let outcome = Watched<Outcome?>(nil)
    let task = session.dataTask(with: request) { data, response, error in
      outcome.update { $0 = Outcome(data: data, response: response as? HTTPURLResponse, error: error as? URLError) }
    }
    task.resume()
    return await finish(task, outcome)
  }

  private static func load(_ url: URL, in session: URLSession = session()) async -> Outcome {
    await load(URLRequest(url: url), in: session)
  }

  private static func finish(_ task: URLSessionTask, _ outcome: Watched<Outcome?>) async -> Outcome {
    #expect(await outcome.wait { $0 != nil })
    var ended = outcome.value ?? Outcome()
    ended.wasDirect = task.load.isDirect
    return ended
  }

  @Test func aPlainLoadIsDirectToItsEnd() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(fields: ["ETag": "\"a\""], text: "hello") }
    let session = Self.session { $0.httpAdditionalHeaders = ["X-Session": "yes"] }
    for _ in 0..<3 {
      let outcome = await Self.load(URLRequest(url: server.url()), in: session)
      #expect(outcome.text == "hello" && outcome.response?.statusCode == 200 && outcome.error == nil)
      #expect(outcome.wasDirect)
    }
    #expect(server.requests.map { $0.fields["X-Session"] } == ["yes", "yes", "yes"])
    #expect(server.connectionCount == 1)
    let (data, response) = try await session.data(from: server.url("/async"))
    #expect(data == Data("hello".utf8) && response.expectedContentLength == 5)
    #expect(await session.allTasks.isEmpty)
    session.invalidateAndCancel()
  }

  @Test func whatATaskLooksLikeDoesNotEndIt() async throws {
    let mayAnswer = AsyncEvent()
    let server = try ScriptedServer.http { _ in
      _ = mayAnswer.waitBlocking()
      return HTTPResponse(text: "late")
    }
    let outcome = try await Self.load(URLRequest(url: server.url()), in: Self.session()) { task async throws in
      #expect(task.state == .running && task.response == nil && task.error == nil)
      #expect(task.currentRequest?.url == server.url() && task.load.isDirect)
      mayAnswer.signal()
    }
    #expect(outcome.text == "late" && outcome.wasDirect)
  }

  /// Short ones go with the head, long ones are pulled.
  @Test(arguments: [0, 5, 20_000, 3_000_000]) func aBodyInMemoryIsSent(_ length: Int) async throws {
    let server = try ScriptedServer.http { request in
      HTTPResponse(text: "\(request.method) \(request.body.count) \(request.fields["Content-Type"] ?? "none")")
    }
    var request = URLRequest(url: server.url())
    request.httpMethod = "POST"
    request.httpBody = Data(count: length)
    let session = Self.session()
    let task = Watched<URLSessionTask?>(nil)
    let outcome = try await Self.load(request, in: session) { started async throws in task.update { $0 = started } }
    let type = length == 0 ? "none" : "application/x-www-form-urlencoded"
    #expect(outcome.text == "POST \(length) \(type)" && outcome.wasDirect)
    #expect(task.value?.countOfBytesSent == Int64(length) && task.value?.countOfBytesExpectedToSend == Int64(length))
    #expect(task.value?.currentRequest?.httpBody?.count == length)
    session.invalidateAndCancel()
  }

  @Test(arguments: [(303, "GET 0"), (307, "POST 5")]) func aRedirectMayTakeTheBody(
    _ status: Int, _ expected: String
  ) async throws {
    let server = try ScriptedServer.http { request in
      request.path == "/"
        ? .redirect(status, to: "/there") : HTTPResponse(text: "\(request.method) \(request.body.count)")
    }
    var request = URLRequest(url: server.url())
    request.httpMethod = "POST"
    request.httpBody = Data("hello".utf8)
    let outcome = await Self.load(request, in: Self.session())
    #expect(outcome.text == expected && !outcome.wasDirect)
  }

  /// RFC 9111, section 4.4: what another load has stored while the answer was on its way goes, too.
  @Test func anUnsafeMethodInvalidatesWhatIsStoredMeanwhile() async throws {
    let mayAnswer = AsyncEvent()
    let server = try ScriptedServer.http { request in
      if request.method == "POST" { _ = mayAnswer.waitBlocking() }
      return HTTPResponse(
        fields: ["Cache-Control": request.method == "POST" ? "no-store" : "max-age=60"], text: request.method)
    }
    let session = Self.session { $0.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0) }
    var request = URLRequest(url: server.url("/a"))
    request.httpMethod = "POST"
    request.httpBody = Data("x".utf8)
    let posted = try await Self.load(request, in: session) { task async throws in
      #expect(task.load.isDirect)
      for _ in 0..<2 { #expect(await Self.load(server.url("/a"), in: session).text == "GET") }
      mayAnswer.signal()
    }
    #expect(posted.text == "POST" && !posted.wasDirect)
    #expect(await Self.load(server.url("/a"), in: session).text == "GET")
    #expect(server.requests.map(\.method).sorted() == ["GET", "GET", "POST"])
    // With an empty cache there is nothing to invalidate.
    session.configuration.urlCache?.removeAllCachedResponses()
    #expect(await Self.load(request, in: session).wasDirect)
    session.invalidateAndCancel()
  }

  /// Nothing tells whether the server has carried it out.
  @Test func aBodyIsNotSentAgainForWantOfAnAnswer() async throws {
    let server = try ScriptedServer { connection in
      guard let request = try connection.readRequest() else { return }
      if request.method == "GET" { try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
      _ = try connection.readRequest()
    }
    let session = Self.session()
    #expect(await Self.load(server.url(), in: session).text == "ok")
    var request = URLRequest(url: server.url())
    request.httpMethod = "POST"
    request.httpBody = Data("hello".utf8)
    let outcome = await Self.load(request, in: session)
    #expect(outcome.error?.code == .networkConnectionLost)
    session.invalidateAndCancel()
    await server.stop()
  }

  @Test func aStoredResponseIsForTheCache() async throws {
    let server = try ScriptedServer.http { request in
      HTTPResponse(fields: ["Cache-Control": request.path == "/kept" ? "max-age=60" : "no-store"], text: request.path)
    }
    let session = Self.session { $0.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0) }
    let forbidden = await Self.load(server.url("/never"), in: session)
    #expect(forbidden.text == "/never" && forbidden.wasDirect)
    for _ in 0..<3 {
      let kept = await Self.load(server.url("/kept"), in: session)
      #expect(kept.text == "/kept" && !kept.wasDirect)
    }
    #expect(server.requests.map(\.path) == ["/never", "/kept"])
  }

  @Test func cookiesAreKeptAndSent() async throws {
    let server = try ScriptedServer.http { request in
      HTTPResponse(
        fields: request.path == "/set" ? ["Set-Cookie": "a=b"] : [:], text: request.fields["Cookie"] ?? "none")
    }
    let session = Self.session { $0.httpCookieStorage = HTTPCookieStorage() }
    let before = await Self.load(server.url("/"), in: session)
    #expect(before.text == "none" && before.wasDirect)
    let setting = await Self.load(server.url("/set"), in: session)
    #expect(setting.text == "none" && !setting.wasDirect)
    let after = await Self.load(server.url("/"), in: session)
    #expect(after.text == "a=b" && !after.wasDirect)
  }

  @Test(arguments: [301, 302, 303, 307, 308]) func redirectsAreFollowed(_ status: Int) async throws {
    let server = try ScriptedServer.http { request in
      request.path == "/" ? .redirect(status, to: "/there") : HTTPResponse(text: request.path)
    }
    let outcome = await Self.load(server.url())
    #expect(outcome.text == "/there" && outcome.response?.url?.path == "/there" && !outcome.wasDirect)
  }

  @Test func aRedirectLoopEnds() async throws {
    let server = try ScriptedServer.http { _ in .redirect(to: "/") }
    #expect(await Self.load(server.url()).error?.code == .httpTooManyRedirects)
  }

  @Test func aLoginIsFoundInTheStorage() async throws {
    let server = try ScriptedServer.http { request in
      request.fields["Authorization"] == "Basic bWU6c2VjcmV0"
        ? HTTPResponse(text: "in") : HTTPResponse(401, fields: ["WWW-Authenticate": "Basic realm=\"r\""], text: "out")
    }
    let storage = URLCredentialStorage()
    let space = URLProtectionSpace(
      host: "127.0.0.1", port: Int(server.port), protocol: "http", realm: "r",
      authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    storage.setDefaultCredential(URLCredential(user: "me", password: "secret", persistence: .forSession), for: space)
    let known = await Self.load(server.url(), in: Self.session { $0.urlCredentialStorage = storage })
    #expect(known.text == "in" && known.response?.statusCode == 200 && !known.wasDirect)
    let unknown = await Self.load(server.url(), in: Self.session { $0.urlCredentialStorage = nil })
    #expect(unknown.text == "out" && unknown.response?.statusCode == 401)
  }

  @Test func anInformationalResponseComesAhead() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send(
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    }
    let outcome = await Self.load(server.url())
    #expect(outcome.text == "ok" && outcome.error == nil)
  }

  @Test func aCutBodyFails() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
    }
    let outcome = await Self.load(server.url())
    #expect(outcome.error?.code == .networkConnectionLost && outcome.data == nil)
  }

  /// RFC 9112, section 9.3.1: a server may close an idle connection as the next request is on its way.
  @Test func aConnectionThatWasClosedIsRetried() async throws {
    let server = try ScriptedServer { connection in
      while let request = try connection.readRequestHead(), request.path != "/closed" || connection.number > 1 {
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
    let session = Self.session()
    #expect(await Self.load(server.url("/first"), in: session).wasDirect)
    let outcome = await Self.load(server.url("/closed"), in: session)
    #expect(outcome.text == "ok", "\(String(describing: outcome.error))")
    #expect(server.connectionCount == 2)
  }

  @Test func nobodyListens() async throws {
    let url = try #require(URL(string: "http://127.0.0.1:\(try FreePort.pick())/"))
    #expect(await Self.load(url).error?.code == .cannotConnectToHost)
  }

  @Test func cancelledAtEachStep() async throws {
    let server = try ScriptedServer { connection in
      let head = try connection.readRequestHead()
      if head?.path == "/head" { _ = connection.waitForPeerClose() }
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
      _ = connection.waitForPeerClose()
    }
    for path in ["/at-once", "/head", "/body"] {
      let outcome = try await Self.load(URLRequest(url: server.url(path)), in: Self.session()) { task async throws in
        if path != "/at-once" { #expect(await server.wait { $0.requests.contains { $0.path == path } }) }
        if path == "/body" { #expect(try await eventually { task.response != nil }) }
        task.cancel()
        task.cancel()
      }
      #expect(outcome.error?.code == .cancelled && outcome.data == nil)
    }
    #expect(await server.waitForIdle())
  }

  @Test func theTaskOfAFunctionIsCancelled() async throws {
    let server = try ScriptedServer.silent()
    let session = Self.session()
    let function = Task { try await session.data(from: server.url()) }
    #expect(await server.waitForRequests(1))
    function.cancel()
    await #expect(throws: URLError.self) { _ = try await function.value }
    #expect(await session.allTasks.isEmpty)
  }

  @Test func suspendedInTheMiddle() async throws {
    let nginx = try await NginxServer.shared
    let outcome = try await Self.load(URLRequest(url: nginx.url("/slow/large.bin?rate=8m")), in: Self.session()) {
      task async throws in
      #expect(try await eventually { task.response != nil })
      task.suspend()
      #expect(task.state == .suspended)
      let count = task.countOfBytesReceived
      #expect(try await !eventually(timeout: .milliseconds(500)) { task.countOfBytesReceived > count + 4 << 20 })
      task.resume()
    }
    let whole = try Data(contentsOf: nginx.documentRoot.appending(path: "large.bin"))
    #expect(TestFiles.firstDifference(outcome.data ?? Data(), whole) == nil && outcome.error == nil)
  }

  @Test func progressThatIsAskedForMeanwhile() async throws {
    let mayGoOn = AsyncEvent()
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf")
      _ = mayGoOn.waitBlocking()
      try connection.send("half")
    }
    let outcome = try await Self.load(URLRequest(url: server.url()), in: Self.session()) { task async throws in
      #expect(try await eventually { task.countOfBytesReceived == 4 })
      #expect(task.progress.completedUnitCount == 4 && task.progress.totalUnitCount == 8)
      mayGoOn.signal()
    }
    #expect(outcome.text == "halfhalf" && !outcome.wasDirect)
  }

  @Test func timeouts() async throws {
    let server = try ScriptedServer.silent()
    var request = URLRequest(url: server.url())
    request.timeoutInterval = 0.3
    #expect(await Self.load(request, in: Self.session()).error?.code == .timedOut)
    let resource = Self.session { $0.timeoutIntervalForResource = 0.3 }
    #expect(await Self.load(URLRequest(url: server.url()), in: resource).error?.code == .timedOut)
  }

  /// What waits for a connection is not in the request timeout.
  @Test func theTimeInLineIsNotThePeers() async throws {
    let server = try ScriptedServer.http { _ in
      usleep(400_000)
      return HTTPResponse(text: "ok")
    }
    let session = Self.session {
      $0.httpMaximumConnectionsPerHost = 1
      $0.timeoutIntervalForRequest = 1
    }
    await withTaskGroup(of: Outcome.self) { group in
      for _ in 0..<4 { group.addTask { await Self.load(URLRequest(url: server.url()), in: session) } }
      for await outcome in group { #expect(outcome.text == "ok", "\(String(describing: outcome.error))") }
    }
  }

  /// What comes after the line is the peer's: its timeout begins there, whenever the timer has looked at the load before.
  @Test func theRequestTimeoutBeginsAfterTheLine() async throws {
    let server = try ScriptedServer { connection in
      while let request = try connection.readRequestHead() {
        if request.path == "/silent" { _ = connection.waitForPeerClose() }
        Thread.sleep(forTimeInterval: 2)
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
    let session = Self.session {
      $0.httpMaximumConnectionsPerHost = 1
      $0.timeoutIntervalForRequest = 0.5
    }
    var patient = URLRequest(url: server.url("/late"))
    patient.timeoutInterval = 100
    let begin = ContinuousClock.now
    async let first = Self.load(patient, in: session)
    #expect(await server.waitForRequests(1))
    let silent = await Self.load(URLRequest(url: server.url("/silent")), in: session)
    #expect(await first.text == "ok")
    #expect(silent.error?.code == .timedOut)
    #expect(server.requests.map(\.path) == ["/late", "/silent"])
    #expect((.seconds(2.4)...(.seconds(30))).contains(ContinuousClock.now - begin))
  }

  /// An instance that has taken over has its response stored as one that has begun.
  @Test func aResponseAfterAnInformationalOneIsStored() async throws {
    let server = try ScriptedServer { connection in
      while try connection.readRequestHead() != nil {
        try connection.send("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\n")
        try connection.send("Content-Length: 2\r\n\r\nok")
      }
    }
    let session = Self.session { $0.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0) }
    for _ in 0..<3 { #expect(await Self.load(URLRequest(url: server.url()), in: session).text == "ok") }
    #expect(server.requests.count == 1)
  }

  /// A task that has ended is not registered again by a resume that was under way.
  @Test func resumedAndCancelledAtOnce() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "ok") }
    let session = Self.session()
    for _ in 0..<200 {
      let isDone = AsyncEvent()
      let task = session.dataTask(with: server.url()) { _, _, _ in isDone.signal() }
      let threads: [@Sendable () -> Void] = [{ task.resume() }, { task.cancel() }, { task.resume() }]
      await withTaskGroup(of: Void.self) { group in for thread in threads { group.addTask { thread() } } }
      #expect(await isDone.wait())
    }
    #expect(try await eventually { await session.allTasks.isEmpty })
  }

  /// What needs a stage from the start goes the whole way.
  @Test func loadsThatAreMoreThanThat() async throws {
    let server = try ScriptedServer.http { request in HTTPResponse(body: request.body) }
    var request = URLRequest(url: server.url())
    request.httpMethod = "POST"
    request.httpBodyStream = InputStream(data: Data("sent".utf8))
    let posted = await Self.load(request, in: Self.session())
    #expect(posted.text == "sent" && !posted.wasDirect)
    let closed = await Self.load(server.url(), in: Self.session { $0[DirectLaneSettings.self].isOpen = false })
    #expect(closed.error == nil && !closed.wasDirect)
    let waiting = await Self.load(server.url(), in: Self.session { $0.waitsForConnectivity = true })
    #expect(waiting.error == nil && !waiting.wasDirect)
    let withUser = try #require(URL(string: "http://me:secret@127.0.0.1:\(server.port)/"))
    let login = await Self.load(withUser)
    #expect(login.error == nil && !login.wasDirect)
  }

  @Test func anInvalidSessionLoadsNothing() async throws {
    let session = Self.session()
    let task = session.dataTask(with: "http://127.0.0.1:9/" as URL) { _, _, _ in }
    session.invalidateAndCancel()
    task.resume()
    #expect(try await eventually { task.state == .completed || task.state == .canceling })
    await #expect(throws: URLError.self) { _ = try await session.data(from: "http://127.0.0.1:9/" as URL) }
  }

  @Test func aThousandAtOnce() async throws {
    let nginx = try await NginxServer.shared
    let session = Self.session()
    let failures = await withTaskGroup(of: Bool.self) { group in
      for index in 0..<1000 {
        group.addTask {
          let data = try? await session.data(from: nginx.url("/small.txt?\(index)")).0
          return data == DocumentRoot.small
        }
      }
      return await group.reduce(0) { $1 ? $0 : $0 + 1 }
    }
    #expect(failures == 0)
    #expect(await session.allTasks.isEmpty)
    session.invalidateAndCancel()
  }

  /// The session, the task and what loads are released with the load.
  @Test func nothingIsKept() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "ok") }
    weak var load: Load?
    do {
      let session = Self.session()
      let task = session.dataTask(with: server.url()) { _, _, _ in }
      load = task.load
      task.resume()
      #expect(try await eventually { task.state == .completed })
      session.finishTasksAndInvalidate()
    }
    #expect(try await eventually { load == nil })
  }
}
