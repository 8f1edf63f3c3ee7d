import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// WebSocket tasks against a server of another make.
@Suite(.timeLimit(.minutes(4))) struct WebSocketTaskTests {
  private func withServer(_ body: (WebSocketServer, URLSession) async throws -> Void) async throws {
    let server = try await WebSocketServer.start()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    let session = URLSession(configuration: configuration)
    do {
      try await body(server, session)
    } catch {
      Issue.record(error)
    }
    session.invalidateAndCancel()
    await server.stop()
  }

  private func text(_ message: URLSessionWebSocketTask.Message) -> String? {
    if case .string(let text) = message { text } else { nil }
  }

  private func data(_ message: URLSessionWebSocketTask.Message) -> Data? {
    if case .data(let data) = message { data } else { nil }
  }

  @Test func messagesGoBothWaysInTheirOrder() async throws {
    try await withServer { server, session in
      let task = session.webSocketTask(with: server.url("/echo"))
      // Before the handshake is done: it waits.
      async let early: Void = task.send(.string("früh"))
      task.resume()
      try await early
      #expect(text(try await task.receive()) == "früh")
      for length in [0, 1, 125, 126, 65_535, 65_536, 1 << 20] {
        let sent = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try await task.send(.data(sent))
        let isEqual = data(try await task.receive()) == sent
        #expect(isEqual, "\(length)")
      }
      #expect((task.response as? HTTPURLResponse)?.statusCode == 101)
      #expect(task.originalRequest?.url?.scheme == "ws")
    }
  }

  @Test func manyAreInFlight() async throws {
    try await withServer { server, session in
      let task = session.webSocketTask(with: server.url("/echo"))
      task.resume()
      async let sending: Void = {
        for number in 0..<2_000 { try await task.send(.string(String(number))) }
      }()
      for number in 0..<2_000 { #expect(text(try await task.receive()) == String(number)) }
      try await sending
    }
  }

  /// The caller and the connection share a thread there.
  @Test func theOrderHoldsOnTheLoadingExecutor() async throws {
    try await withServer { server, session in
      try await withTaskExecutorPreference(URLSession.loadingExecutor) {
        let task = session.webSocketTask(with: server.url("/echo"))
        task.resume()
        for round in 0..<100 {
          try await task.send(.string("\(round) first"))
          for number in 0..<3 { task.send(.string("\(round) \(number)")) { _ in } }
          try await task.send(.string("\(round) last"))
          for words in ["first", "0", "1", "2", "last"] {
            #expect(text(try await task.receive()) == "\(round) \(words)")
          }
        }
        for length in [0, 65_536, 1 << 20] {
          let sent = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) })
          try await task.send(.data(sent))
          let isEqual = data(try await task.receive()) == sent
          #expect(isEqual, "\(length)")
        }
      }
    }
  }

  @Test func pingsAndPongs() async throws {
    try await withServer { server, session in
      let task = session.webSocketTask(with: server.url("/echo"))
      task.resume()
      try await task.sendPing()
      try await task.sendPing()
      let other = session.webSocketTask(with: server.url("/ping"))
      other.resume()
      #expect(text(try await other.receive()) == "answered")
    }
  }

  @Test func thePeerCloses() async throws {
    try await withServer { server, session in
      let task = session.webSocketTask(with: server.url("/close?code=1000&reason=bye"))
      let delegate = WebSocketDelegate()
      task.delegate = delegate
      task.resume()
      var count = 0
      for try await _ in task.messages { count += 1 }
      #expect(count == 0)
      #expect(task.closeCode == .normalClosure)
      #expect(task.closeReason == Data("bye".utf8))
      let end = try await delegate.completion()
      #expect(end == nil)
      #expect(delegate.events.value == ["opened nil", "closed 1000 bye"])
      let later = await #expect(throws: URLError.self) { try await task.send(.string("x")) }
      #expect(later?.code == .networkConnectionLost)
    }
  }

  @Test func theOwnerCloses() async throws {
    try await withServer { server, session in
      let task = session.webSocketTask(with: server.url("/echo"))
      let delegate = WebSocketDelegate()
      task.delegate = delegate
      task.resume()
      try await task.send(.string("x"))
      #expect(text(try await task.receive()) == "x")
      task.cancel(with: .goingAway, reason: Data("enough".utf8))
      let end = try await delegate.completion()
      #expect(end == nil)
      #expect(delegate.events.value == ["opened nil", "closed 1001 enough"])
      let isNoted = try await eventually { server.log.contains("closed 1001 enough") }
      #expect(isNoted)
    }
  }

  /// As programs define codes of their own (RFC 6455, section 7.4.2).
  @Test func codesOfProgramsPassBothWays() async throws {
    try await withServer { server, session in
      let (delegate, peers) = (
        WebSocketDelegate(), session.webSocketTask(with: server.url("/close?code=4000&reason=own"))
      )
      peers.delegate = delegate
      peers.resume()
      let error = await #expect(throws: URLError.self) { try await peers.receive() }
      #expect(error?.code == .networkConnectionLost)
      #expect(try await delegate.completion() == nil)
      #expect(delegate.events.value == ["opened nil", "closed 4000 own"])
      let code = try #require(URLSessionWebSocketTask.CloseCode(rawValue: 4000))
      #expect(peers.closeCode == code && code.rawValue == 4000)
      let (observer, task) = (WebSocketDelegate(), session.webSocketTask(with: server.url("/echo")))
      task.delegate = observer
      task.resume()
      try await task.sendPing()
      // The server answers with the code that it was given.
      task.cancel(with: try #require(URLSessionWebSocketTask.CloseCode(rawValue: 3999)), reason: Data("mine".utf8))
      #expect(try await observer.completion() == nil)
      #expect(observer.events.value == ["opened nil", "closed 3999 mine"])
    }
  }

  @Test func cancelSendsACloseFrameWithoutACode() async throws {
    try await withServer { server, session in
      let task = session.webSocketTask(with: server.url("/echo"))
      let delegate = WebSocketDelegate()
      task.delegate = delegate
      task.resume()
      try await task.sendPing()
      task.cancel()
      let end = try await delegate.completion()
      #expect((end as? URLError)?.code == .cancelled)
      let isNoted = try await eventually { server.log.contains("closed 1005") }
      #expect(isNoted)
      let error = await #expect(throws: URLError.self) { try await task.receive() }
      #expect(error?.code == .cancelled)
    }
  }

  /// The peer reads the close frame, and neither answers nor closes.
  @Test func aPeerThatDoesNotCloseDoesNotChangeThatTheTaskWasCancelled() async throws {
    let server = try ScriptedServer { connection in
      try WebSocketPeer.agree(connection)
      _ = connection.waitForPeerClose(timeout: .seconds(30))
    }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    let session = URLSession(configuration: configuration)
    let task = session.webSocketTask(with: server.url(scheme: "ws"))
    let delegate = WebSocketDelegate()
    task.delegate = delegate
    task.resume()
    #expect(await delegate.events.wait { $0 == ["opened nil"] })
    let waiting = Task { try await task.receive() }
    task.cancel(with: .goingAway, reason: nil)
    let end = try await delegate.completion()
    #expect((end as? URLError)?.code == .cancelled, "\(String(describing: end))")
    #expect(end?.localizedDescription.contains("timeout") == false)
    #expect(task.closeCode == .abnormalClosure)
    let error = await #expect(throws: URLError.self) { try await waiting.value }
    #expect(error?.code == .cancelled)
    session.invalidateAndCancel()
  }

  @Test(arguments: ["/abort", "/fin"]) func aConnectionThatBreaksIsAnError(_ path: String) async throws {
    try await withServer { server, session in
      let task = session.webSocketTask(with: server.url(path))
      task.resume()
      let error = await #expect(throws: URLError.self) { try await task.receive() }
      #expect(error?.code == .networkConnectionLost)
      #expect(task.closeCode == .abnormalClosure)
    }
  }

  /// A policy of retries is not one for conversations.
  @Test func aConnectionThatBreaksIsAnErrorBesideAPolicy() async throws {
    let server = try ScriptedServer { connection in
      try WebSocketPeer.agree(connection)
    }
    let recorded = RecordedSession { $0.retryPolicy = URLSessionConfiguration.RetryPolicy() }
    let task = recorded.session.webSocketTask(with: server.url(scheme: "ws"))
    let delegate = WebSocketDelegate()
    task.delegate = delegate
    task.resume()
    let end = try await delegate.completion()
    #expect((end as? URLError)?.code == .networkConnectionLost, "\(String(describing: end))")
    #expect(task.closeCode == .abnormalClosure)
  }

  /// A frame that breaks the protocol, the code that it is answered with, and the task's error.
  @Test(arguments: [
    ("91016161", 1002, URLError.Code.badServerResponse),
    ("8301", 1002, .badServerResponse),
    ("8181", 1002, .badServerResponse),
    ("0900", 1002, .badServerResponse),
    ("897e007e", 1002, .badServerResponse),
    ("8000", 1002, .badServerResponse),
    ("827e0001aa", 1002, .badServerResponse),
    ("827f8000000000000000", 1002, .badServerResponse),
    ("8102c328", 1007, .badServerResponse),
    ("8101c3", 1007, .badServerResponse),
    ("880103", 1002, .badServerResponse),
    ("880203ed", 1002, .badServerResponse),
    ("827f0000000000100001", 1009, .dataLengthExceedsMaximum),
  ])
  func whatBreaksTheProtocol(_ bytes: String, _ code: Int, _ expected: URLError.Code) async throws {
    try await withServer { server, session in
      let task = session.webSocketTask(with: server.url("/raw?bytes=\(bytes)"))
      task.resume()
      let error = await #expect(throws: URLError.self) { try await task.receive() }
      #expect(error?.code == expected, "\(String(describing: error))")
      let isNoted = try await eventually { server.log.contains("closed \(code)") }
      #expect(isNoted, "\(server.log)")
    }
  }

  @Test func theHandshakeIsAnExchangeOfTheSession() async throws {
    try await withServer { server, session in
      var request = URLRequest(url: server.url("/fields"))
      request.setValue("yes", forHTTPHeaderField: "X-Mine")
      let cookie = try #require(
        HTTPCookie(properties: [.name: "a", .value: "b", .domain: "127.0.0.1", .path: "/"]))
      session.configuration.httpCookieStorage?.setCookie(cookie)
      let task = session.webSocketTask(with: request)
      task.resume()
      let fields = text(try await task.receive()) ?? ""
      #expect(fields.contains("X-Mine: yes") && fields.contains("Cookie: a=b"))
      #expect(!fields.contains("Transfer-Encoding") && !fields.contains("Content-Length"))

      let redirected = session.webSocketTask(with: server.url("/redirect"))
      redirected.resume()
      try await redirected.send(.string("there"))
      #expect(text(try await redirected.receive()) == "there")

      let missing = session.webSocketTask(with: server.url("/missing"))
      missing.resume()
      let error = await #expect(throws: URLError.self) { try await missing.receive() }
      #expect(error?.code == .badServerResponse && error?.localizedDescription.contains("404") == true)
      #expect((missing.response as? HTTPURLResponse)?.statusCode == 404)
    }
  }

  @Test func aChallengeIsAnswered() async throws {
    try await withServer { server, session in
      let task = session.webSocketTask(with: server.url("/login"))
      let delegate = WebSocketDelegate(credential: URLCredential(user: "alice", password: "secret", persistence: .none))
      task.delegate = delegate
      task.resume()
      try await task.send(.string("in"))
      #expect(text(try await task.receive()) == "in")
    }
  }

  @Test func subprotocols() async throws {
    try await withServer { server, session in
      let task = session.webSocketTask(with: server.url("/echo"), protocols: ["other", "chat"])
      let delegate = WebSocketDelegate()
      task.delegate = delegate
      task.resume()
      try await task.sendPing()
      let isNoted = try await eventually { delegate.events.value == ["opened chat"] }
      #expect(isNoted)
    }
  }

  @Test(arguments: [[""], ["a b"], ["a", "a"], ["a,b"], ["é"], ["a\r\nX: y"], ["a", ""]])
  func subprotocolsThatCannotBeOffered(_ names: [String]) async throws {
    try await withServer { server, session in
      let task = session.webSocketTask(with: server.url("/echo"), protocols: names)
      task.resume()
      let error = await #expect(throws: URLError.self) { try await task.receive() }
      #expect(error?.code == .badURL && error?.localizedDescription.contains("sub-protocols") == true)
      var request = URLRequest(url: server.url("/echo"))
      request.setValue(names.joined(separator: ","), forHTTPHeaderField: "Sec-WebSocket-Protocol")
      guard names != ["a,b"] else { return }
      let other = session.webSocketTask(with: request)
      other.resume()
      await #expect(throws: URLError.self) { try await other.receive() }
    }
  }

  @Test func manyConnectionsAtOnce() async throws {
    try await withServer { server, session in
      let tasks = (0..<100).map { _ in session.webSocketTask(with: server.url("/echo")) }
      for task in tasks { task.resume() }
      for (number, task) in tasks.enumerated() { try await task.send(.string("\(number)")) }
      for (number, task) in tasks.enumerated() { #expect(text(try await task.receive()) == "\(number)") }
      // They count against no limit of connections to a host.
      let (_, response) = try await session.data(from: server.url("/missing", scheme: "http"))
      #expect((response as? HTTPURLResponse)?.statusCode == 404)
    }
  }

  /// More has come than may wait: a message goes out nonetheless, and so does a close frame, whose answer is seen.
  @Test func anOwnerWhoDoesNotReceiveMayWriteAndClose() async throws {
    try await withServer { server, session in
      let task = session.webSocketTask(with: server.url("/flood?count=300"))
      let delegate = WebSocketDelegate()
      task.delegate = delegate
      task.resume()
      _ = try await task.receive()
      for _ in 0..<3 { try await task.send(.string("still here")) }
      task.cancel(with: .goingAway, reason: nil)
      let end = try await delegate.completion()
      #expect(end == nil)
      // The server sends to the end before it looks at a close frame, and may close by itself then.
      #expect([.goingAway, .normalClosure].contains(task.closeCode))
      // What came before can be received, and then nothing.
      await #expect(throws: URLError.self) {
        for _ in 0..<1_000 { _ = try await task.receive() }
      }
    }
  }

  @Test func aReceiveIsCancelledWithoutLoss() async throws {
    try await withServer { server, session in
      let task = session.webSocketTask(with: server.url("/echo"))
      task.resume()
      let waiting = Task { try await task.receive() }
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
      try await task.send(.string("kept"))
      #expect(text(try await task.receive()) == "kept")
    }
  }

  @Test func handlersAreCalledOnTheDelegateQueue() async throws {
    try await withServer { server, session in
      let task = session.webSocketTask(with: server.url("/echo"))
      task.resume()
      let received = await withCheckedContinuation { continuation in
        task.send(.string("x")) { _ in }
        task.receive {
          continuation.resume(returning: (try? $0.get(), OperationQueue.current === session.delegateQueue))
        }
      }
      #expect(received.0.flatMap(text) == "x" && received.1)
    }
  }

  @Test func aTaskOfNoSession() async {
    await #expect(throws: URLError.self) { try await URLSessionWebSocketTask().receive() }
  }
}

/// Notes what a WebSocket task reports.
final class WebSocketDelegate: NSObject, URLSessionWebSocketDelegate, Sendable {
  let events = Watched<[String]>([])
  private let end = Watched<(any Error)??>(nil)
  private let credential: URLCredential?

  init(credential: URLCredential? = nil) {
    self.credential = credential
  }

  /// The task's error, once it has ended.
  func completion() async throws -> (any Error)? {
    _ = try await eventually { self.end.value != nil }
    return end.value ?? URLError(.timedOut)
  }

  func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol name: String?
  ) {
    events.update { $0.append("opened \(name ?? "nil")") }
  }

  func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
    didCloseWith code: URLSessionWebSocketTask.CloseCode, reason: Data?
  ) {
    events.update { $0.append("closed \(code.rawValue) \(String(decoding: reason ?? Data(), as: UTF8.self))") }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    completionHandler(credential == nil ? .performDefaultHandling : .useCredential, credential)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    end.update { $0 = .some(error) }
  }
}
