import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// The handshake is an exchange of the session as any other: TLS, proxies, logins, cookies, metrics, limits.
@Suite(.timeLimit(.minutes(4))) struct WebSocketSessionTests {
  private func withServer(
    _ configure: (URLSessionConfiguration) -> Void = { _ in },
    _ body: (WebSocketServer, URLSession) async throws -> Void
  ) async throws {
    let server = try await WebSocketServer.start()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.certificateAuthorityFile = try await TestCertificates.shared.authority
    configure(configuration)
    let session = URLSession(configuration: configuration)
    do {
      try await body(server, session)
    } catch {
      Issue.record(error)
    }
    session.invalidateAndCancel()
    await server.stop()
  }

  /// Sends a message to an echo, and expects it back.
  private func expectEcho(_ task: URLSessionWebSocketTask, sourceLocation: SourceLocation = #_sourceLocation)
    async throws
  {
    let sent = "echo \(UUID())"
    task.resume()
    try await task.send(.string(sent))
    guard case .string(let received) = try await task.receive() else {
      Issue.record("no text", sourceLocation: sourceLocation)
      return
    }
    #expect(received == sent, sourceLocation: sourceLocation)
  }

  private func secureURL(_ front: TLSFront, _ path: String = "/echo") throws -> URL {
    try #require(URL(string: "wss://127.0.0.1:\(front.port)\(path)"))
  }

  // MARK: TLS

  @Test func overTLS() async throws {
    try await withServer { server, session in
      let front = try await TLSFront.start(before: server.port, speaking: "http/1.1")
      let task = session.webSocketTask(with: try secureURL(front))
      try await expectEcho(task)
      let big = Data((0..<3 << 19).map { UInt8(truncatingIfNeeded: $0 &* 31) })
      task.maximumMessageSize = 3 << 19
      try await task.send(.data(big))
      guard case .data(let received) = try await task.receive() else {
        Issue.record("no data")
        return
      }
      let isEqual = received == big
      #expect(isEqual)
    }
  }

  /// The handshake is one of HTTP/1.1 (RFC 6455, section 4.1): HTTP/2 is not asked for where a server would prefer it.
  @Test func aServerThatOffersHTTP2() async throws {
    try await withServer { server, session in
      let front = try await TLSFront.start(before: server.port, speaking: "h2")
      try await expectEcho(session.webSocketTask(with: try secureURL(front)))
      await front.stop()
    }
  }

  @Test func anUntrustedServer() async throws {
    try await withServer {
      $0.certificateAuthorityFile = nil
    } _: { server, session in
      let front = try await TLSFront.start(before: server.port, speaking: "http/1.1")
      let task = session.webSocketTask(with: try secureURL(front))
      task.resume()
      let error = await #expect(throws: URLError.self) { try await task.send(.string("secret")) }
      #expect(error?.code == .serverCertificateUntrusted)
    }
  }

  // MARK: Proxies

  private static func http(_ port: UInt16) -> [AnyHashable: Any] {
    [
      "HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": Int(port), "HTTPSEnable": 1, "HTTPSProxy": "127.0.0.1",
      "HTTPSPort": Int(port),
    ]
  }

  /// RFC 6455, section 4.1: through a tunnel, with and without TLS.
  @Test func throughAnHTTPProxy() async throws {
    let squid = try await SquidServer.start()
    try await withServer {
      $0.connectionProxyDictionary = Self.http(squid.port)
    } _: { server, session in
      try await expectEcho(session.webSocketTask(with: server.url("/echo")))
      let front = try await TLSFront.start(before: server.port, speaking: "http/1.1")
      try await expectEcho(session.webSocketTask(with: try secureURL(front)))
      session.invalidateAndCancel()
      for port in [server.port, front.port] {
        let isNoted = await squid.waitForRequest("CONNECT 127.0.0.1:\(port) 200")
        #expect(isNoted)
      }
    }
    await squid.stop()
  }

  @Test func throughAProxyWithALogin() async throws {
    let squid = try await SquidServer.authenticating
    try await withServer {
      $0.connectionProxyDictionary = Self.http(squid.port)
    } _: { server, session in
      let task = session.webSocketTask(with: server.url("/echo"))
      let credential = URLCredential(user: SquidServer.user, password: SquidServer.password, persistence: .none)
      let delegate = WebSocketDelegate(credential: credential)
      task.delegate = delegate
      try await expectEcho(task)
      let refused = session.webSocketTask(with: server.url("/echo"))
      refused.resume()
      let error = await #expect(throws: URLError.self) { try await refused.receive() }
      #expect(error != nil)
    }
  }

  @Test func throughSOCKS() async throws {
    let proxy = try await SOCKSServer.shared
    try await withServer {
      $0.connectionProxyDictionary = ["SOCKSEnable": 1, "SOCKSProxy": "127.0.0.1", "SOCKSPort": Int(proxy.port)]
    } _: { server, session in
      try await expectEcho(session.webSocketTask(with: server.url("/echo")))
      let isNoted = await proxy.waitForConnection(to: server.port)
      #expect(isNoted)
    }
  }

  // MARK: HTTP

  @Test func aDigestIsComputed() async throws {
    try await withServer { server, session in
      let task = session.webSocketTask(with: server.url("/digest"))
      let delegate = WebSocketDelegate(credential: URLCredential(user: "alice", password: "secret", persistence: .none))
      task.delegate = delegate
      try await expectEcho(task)
    }
  }

  /// The session's fields are in the handshake, those of the request before them.
  @Test func additionalHeadersOfTheSession() async throws {
    try await withServer {
      $0.httpAdditionalHeaders = ["X-Session": "the session's", "X-Both": "the session's"]
    } _: { server, session in
      var request = URLRequest(url: server.url("/fields"))
      request.setValue("the request's", forHTTPHeaderField: "X-Both")
      let task = session.webSocketTask(with: request)
      task.resume()
      guard case .string(let fields) = try await task.receive() else {
        Issue.record("no text")
        return
      }
      let lines = fields.components(separatedBy: "\n")
      #expect(lines.contains("X-Session: the session's"))
      #expect(lines.filter { $0.hasPrefix("X-Both") } == ["X-Both: the request's"])
    }
  }

  @Test func cookiesOfTheHandshakeAreStored() async throws {
    try await withServer { server, session in
      let task = session.webSocketTask(with: server.url("/cookie"))
      try await expectEcho(task)
      let cookies = session.configuration.httpCookieStorage?.cookies ?? []
      #expect(cookies.map(\.name) == ["from"])
    }
  }

  @Test func metricsAreReported() async throws {
    try await withServer { server, session in
      let task = session.webSocketTask(with: server.url("/redirect"))
      let delegate = MetricsDelegate()
      task.delegate = delegate
      try await expectEcho(task)
      task.cancel(with: .normalClosure, reason: nil)
      let isNoted = try await eventually { delegate.metrics.value != nil }
      #expect(isNoted)
      let transactions = try #require(delegate.metrics.value).transactionMetrics
      #expect(transactions.count == 2)
      #expect(transactions.last?.networkProtocolName == "http/1.1")
      #expect((transactions.last?.response as? HTTPURLResponse)?.statusCode == 101)
      #expect(transactions.last?.connectEndDate != nil)
    }
  }

  // MARK: Limits

  @Test func theRequestTimeoutIsForTheHandshake() async throws {
    try await withServer {
      $0.timeoutIntervalForRequest = 1
    } _: { server, session in
      let silent = try ScriptedServer { connection in
        _ = try connection.readRequest()
        _ = connection.waitForPeerClose()
      }
      let waiting = session.webSocketTask(with: silent.url(scheme: "ws"))
      waiting.resume()
      let error = await #expect(throws: URLError.self) { try await waiting.receive() }
      #expect(error?.code == .timedOut)
      _ = await silent.stop()

      let resting = session.webSocketTask(with: server.url("/late?seconds=2"))
      resting.resume()
      guard case .string(let text) = try await resting.receive() else {
        Issue.record("no text")
        return
      }
      #expect(text == "late")
    }
  }

  @Test func theResourceTimeoutEndsIt() async throws {
    try await withServer {
      $0.timeoutIntervalForResource = 3
    } _: { server, session in
      let task = session.webSocketTask(with: server.url("/echo"))
      try await expectEcho(task)
      let error = await #expect(throws: URLError.self) { try await task.receive() }
      #expect(error?.code == .timedOut)
    }
  }

  // MARK: The end

  @Test(arguments: [0, 1, 2, 3]) func cancelledAtEveryStep(_ step: Int) async throws {
    try await withServer { server, session in
      let task = session.webSocketTask(with: server.url("/echo"))
      let delegate = WebSocketDelegate()
      task.delegate = delegate
      async let sent: Void = task.send(.string("x"))
      async let received = task.receive()
      if step > 0 { task.resume() }
      if step == 2 { _ = try await eventually { !delegate.events.value.isEmpty } }
      if step == 3 {
        try await task.sendPing()
        task.suspend()
      }
      task.cancel()
      let end = try await delegate.completion()
      #expect((end as? URLError)?.code == .cancelled)
      _ = try? await sent
      _ = try? await received
      let later = await #expect(throws: URLError.self) { try await task.send(.string("later")) }
      #expect(later?.code == .cancelled)
      await #expect(throws: URLError.self) { try await task.sendPing() }
    }
  }

  @Test func anInvalidatedSession() async throws {
    try await withServer { server, session in
      let task = session.webSocketTask(with: server.url("/echo"))
      try await expectEcho(task)
      session.finishTasksAndInvalidate()
      // The task goes on.
      try await task.send(.string("still"))
      _ = try await task.receive()
      task.cancel(with: .goingAway, reason: nil)
      await #expect(throws: URLError.self) { try await task.receive() }
    }
  }

  /// A scripted server's answers to the handshake that are not valid.
  @Test(arguments: [
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    "HTTP/1.1 426 Upgrade Required\r\nContent-Length: 0\r\n\r\n", "garbage\r\n\r\n", "",
  ])
  func noAgreement(_ answer: String) async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send(answer)
    }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    let session = URLSession(configuration: configuration)
    let task = session.webSocketTask(with: server.url(scheme: "ws"))
    task.resume()
    let error = await #expect(throws: URLError.self) { try await task.receive() }
    let isFitting = [URLError.Code.badServerResponse, .networkConnectionLost, .cannotParseResponse].contains(
      error?.code)
    #expect(isFitting, "\(String(describing: error))")
    session.invalidateAndCancel()
    _ = await server.stop()
  }

  @Test func withoutCompression() async throws {
    try await withServer {
      $0.webSocket.compressesMessages = false
    } _: { server, session in
      let task = session.webSocketTask(with: server.url("/fields"))
      task.resume()
      guard case .string(let fields) = try await task.receive() else {
        Issue.record("no text")
        return
      }
      #expect(!fields.contains("Sec-WebSocket-Extensions"))
      try await expectEcho(session.webSocketTask(with: server.url("/echo")))
    }
  }
}

/// Keeps the metrics of a task.
private final class MetricsDelegate: NSObject, URLSessionTaskDelegate, Sendable {
  let metrics = Watched<URLSessionTaskMetrics?>(nil)

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    self.metrics.update { $0 = metrics }
  }
}
