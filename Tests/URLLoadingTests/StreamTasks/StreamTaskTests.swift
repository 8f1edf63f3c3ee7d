import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Stream tasks on real connections.
@Suite(.timeLimit(.minutes(4))) struct StreamTaskTests: StreamTaskSuite {
  @Test func bytesGoBothWays() async throws {
    let server = try Self.echo()
    let session = try await session()
    let notes = StreamDelegateNotes()
    // Before the connection stands: it waits.
    let task = session.streamTask(withHostName: "127.0.0.1", port: Int(server.port))
    task.delegate = notes
    async let early: Void = task.write(Data("hello world".utf8), timeout: 60)
    task.resume()
    try await early
    let (first, atEOF) = try await task.readData(ofMinLength: 5, maxLength: 5, timeout: 60)
    #expect(first == Data("hello".utf8) && !atEOF)
    let (second, _) = try await task.readData(ofMinLength: 6, maxLength: 100, timeout: 60)
    #expect(second == Data(" world".utf8))
    #expect(task.originalRequest?.url?.absoluteString == "tcp://127.0.0.1:\(server.port)")
    task.closeWrite()
    let (rest, isOver) = try await task.readData(ofMinLength: 1, maxLength: 10, timeout: 60)
    #expect(rest == nil && isOver)
    let end = try await notes.completion()
    #expect(end == nil)
    #expect(notes.events.value.sorted() == ["readClosed", "writeClosed"])
    await #expect(throws: URLError.self) { try await task.write(Data([1]), timeout: 1) }
    session.invalidateAndCancel()
    _ = await server.stop()
  }

  @Test func handlersAreCalledOnTheDelegateQueue() async throws {
    let server = try Self.echo()
    let session = try await session()
    let task = task(session, server.port)
    let (bytes, isOnQueue) = await withCheckedContinuation { continuation in
      task.write(Data("x".utf8), timeout: 0) { _ in }
      task.readData(ofMinLength: 1, maxLength: 1, timeout: 0) { data, _, _ in
        continuation.resume(returning: (data, OperationQueue.current === session.delegateQueue))
      }
    }
    #expect(bytes == Data("x".utf8) && isOnQueue)
    session.invalidateAndCancel()
    _ = await server.stop()
  }

  @Test func anAddressOfIPv6() async throws {
    let server = try ScriptedServer(ipv6: true) { connection in try connection.send("six\n") }
    let session = try await session()
    let answer = try await line(task(session, server.port, host: "::1"))
    #expect(answer == "six")
    session.invalidateAndCancel()
    _ = await server.stop()
  }

  /// The peer reads to the end, and answers then.
  @Test func halfClosed() async throws {
    let server = try ScriptedServer { connection in
      var count = 0
      while true {
        let bytes = try connection.readSome()
        if bytes.isEmpty { break }
        count += bytes.count
      }
      try connection.send("\(count)\n")
    }
    let session = try await session()
    let task = task(session, server.port)
    let megabyte = Data(count: 1 << 20)
    for _ in 0..<4 { try await task.write(megabyte, timeout: 60) }
    task.closeWrite()
    let answer = try await line(task)
    #expect(answer == "\(4 << 20)")
    session.invalidateAndCancel()
    _ = await server.stop()
  }

  @Test func closeReadDropsWhatComes() async throws {
    let server = try Self.echo()
    let session = try await session()
    let notes = StreamDelegateNotes()
    let task = task(session, server.port, delegate: notes)
    task.closeRead()
    try await task.write(Data("dropped".utf8), timeout: 60)
    let (data, atEOF) = try await task.readData(ofMinLength: 1, maxLength: 10, timeout: 60)
    #expect(data == nil && atEOF)
    task.closeWrite()
    let end = try await notes.completion()
    #expect(end == nil)
    session.invalidateAndCancel()
    _ = await server.stop()
  }

  /// Those after it fail with it, as Apple documents; what it would have taken is there for the next one.
  @Test func aReadThatIsLate() async throws {
    let server = try ScriptedServer { connection in
      try connection.send("ab")
      _ = try connection.readSome()
      try connection.send("cd")
      _ = connection.waitForPeerClose()
    }
    let session = try await session()
    let task = task(session, server.port)
    let late = Watched<[URLError.Code?]>([])
    for timeout in [0.2, 0] {
      task.readData(ofMinLength: 4, maxLength: 4, timeout: timeout) { _, _, error in
        late.update { $0.append((error as? URLError)?.code) }
      }
    }
    let areLate = try await eventually { late.value.count == 2 }
    #expect(areLate && late.value == [.timedOut, .timedOut])
    try await task.write(Data("go".utf8), timeout: 60)
    let (data, _) = try await task.readData(ofMinLength: 4, maxLength: 4, timeout: 60)
    #expect(data == Data("abcd".utf8))
    session.invalidateAndCancel()
    _ = await server.stop()
  }

  /// A read of a task that was not resumed times out.
  @Test func aReadOfATaskThatWasNotResumed() async throws {
    let session = try await session()
    let task = session.streamTask(withHostName: "127.0.0.1", port: 1)
    for timeout in [0.2, 0.1] {
      let error = await #expect(throws: URLError.self) {
        try await task.readData(ofMinLength: 1, maxLength: 1, timeout: timeout)
      }
      #expect(error?.code == .timedOut)
    }
    session.invalidateAndCancel()
  }

  @Test func aPeerThatDoesNotRead() async throws {
    let isOver = DispatchSemaphore(value: 0)
    let server = try ScriptedServer { _ in _ = isOver.wait(timeout: .now() + 30) }
    let session = try await session()
    let notes = StreamDelegateNotes()
    let task = task(session, server.port, delegate: notes)
    let error = await #expect(throws: URLError.self) {
      for _ in 0..<1_000 { try await task.write(Data(count: 1 << 20), timeout: 0.5) }
    }
    #expect(error?.code == .timedOut)
    // A part of it was sent.
    let end = try await notes.completion()
    #expect((end as? URLError)?.code == .timedOut)
    isOver.signal()
    session.invalidateAndCancel()
    _ = await server.stop()
  }

  @Test func whatFails() async throws {
    let session = try await session()
    let port = try FreePort.pick()
    let refused = task(session, port)
    let refusal = await #expect(throws: URLError.self) {
      try await refused.readData(ofMinLength: 1, maxLength: 1, timeout: 0)
    }
    #expect(refusal?.code == .cannotConnectToHost)
    for (host, port) in [("", 80), ("127.0.0.1", 0), ("127.0.0.1", 65_536)] {
      let task = session.streamTask(withHostName: host, port: port)
      task.resume()
      let error = await #expect(throws: URLError.self) { try await task.write(Data([1]), timeout: 0) }
      #expect(error?.code == .badURL)
    }
    let server = try ScriptedServer { connection in
      try connection.send("ab")
      _ = try connection.readSome()
      connection.reset()
    }
    let broken = task(session, server.port)
    let (data, _) = try await broken.readData(ofMinLength: 2, maxLength: 2, timeout: 60)
    #expect(data == Data("ab".utf8))
    try await broken.write(Data("x".utf8), timeout: 60)
    let error = await #expect(throws: URLError.self) {
      try await broken.readData(ofMinLength: 1, maxLength: 1, timeout: 60)
    }
    #expect(error?.code == .networkConnectionLost)
    // No other task loads such a URL.
    let url = try #require(URL(string: "tcp://127.0.0.1:\(server.port)"))
    let unsupported = await #expect(throws: URLError.self) { try await session.data(from: url) }
    #expect(unsupported?.code == .unsupportedURL)
    await #expect(throws: URLError.self) { try await URLSessionStreamTask().write(Data(), timeout: 0) }
    session.invalidateAndCancel()
    _ = await server.stop()
  }

  @Test(arguments: [0, 1, 2]) func cancelledAtEveryStep(_ step: Int) async throws {
    let server = try Self.echo()
    let session = try await session()
    let notes = StreamDelegateNotes()
    let task = session.streamTask(withHostName: "127.0.0.1", port: Int(server.port))
    task.delegate = notes
    async let read = task.readData(ofMinLength: 100, maxLength: 100, timeout: 0)
    if step > 0 { task.resume() }
    if step == 2 { try await task.write(Data("x".utf8), timeout: 60) }
    task.cancel()
    let end = try await notes.completion()
    #expect((end as? URLError)?.code == .cancelled)
    _ = try? await read
    let later = await #expect(throws: URLError.self) { try await task.write(Data([1]), timeout: 0) }
    #expect(later?.code == .cancelled)
    session.invalidateAndCancel()
    _ = await server.stop()
  }

  /// While nobody reads, only what the session and the sockets buffer is sent of 64 MiB, and the rest as it is read.
  @Test func aSlowReaderHoldsThePeerBack() async throws {
    let sent = Watched(0)
    let server = try ScriptedServer { connection in
      let piece = Data(count: 64 << 10)
      for _ in 0..<1_024 {
        try connection.send(piece)
        sent.update { $0 += piece.count }
      }
    }
    let session = try await session()
    let task = task(session, server.port)
    let (first, _) = try await task.readData(ofMinLength: 1, maxLength: 1, timeout: 60)
    var count = first?.count ?? 0
    let ahead = await sent.settled()
    #expect(ahead < 16 << 20)
    while true {
      let (data, atEOF) = try await task.readData(ofMinLength: 1, maxLength: 1 << 20, timeout: 60)
      count += data?.count ?? 0
      if atEOF { break }
    }
    #expect(count == 64 << 20)
    session.invalidateAndCancel()
    _ = await server.stop()
  }

  @Test func manyAtOnce() async throws {
    let server = try Self.echo()
    let session = try await session()
    let tasks = (0..<200).map { _ in task(session, server.port) }
    for (number, task) in tasks.enumerated() { try await task.write(Data("\(number)\n".utf8), timeout: 60) }
    for (number, task) in tasks.enumerated() {
      let answer = try await line(task)
      #expect(answer == "\(number)")
    }
    session.invalidateAndCancel()
    _ = await server.stop()
  }

  // MARK: Proxies

  @Test func throughAnHTTPProxy() async throws {
    let squid = try await SquidServer.shared
    let unused = try FreePort.pick()
    let server = try Self.echo()
    let session = try await session {
      // That for `http` does not count.
      $0.connectionProxyDictionary = [
        "HTTPSEnable": 1, "HTTPSProxy": "127.0.0.1", "HTTPSPort": Int(squid.port), "HTTPEnable": 1,
        "HTTPProxy": "127.0.0.1", "HTTPPort": Int(unused),
      ]
    }
    let task = task(session, server.port)
    try await task.write(Data("tunnel\n".utf8), timeout: 60)
    let answer = try await line(task)
    #expect(answer == "tunnel")
    task.cancel()
    let isNoted = await squid.waitForRequest("CONNECT 127.0.0.1:\(server.port) 200")
    #expect(isNoted)
    session.invalidateAndCancel()
    _ = await server.stop()
  }

  @Test func throughAProxyWithALogin() async throws {
    let squid = try await SquidServer.authenticating
    let server = try Self.echo()
    let session = try await session {
      $0.connectionProxyDictionary = ["HTTPSEnable": 1, "HTTPSProxy": "127.0.0.1", "HTTPSPort": Int(squid.port)]
    }
    let credential = URLCredential(user: SquidServer.user, password: SquidServer.password, persistence: .none)
    let notes = StreamDelegateNotes(credential: credential)
    let task = task(session, server.port, delegate: notes)
    try await task.write(Data("login\n".utf8), timeout: 60)
    let answer = try await line(task)
    #expect(answer == "login")
    #expect(notes.spaces.value.map { $0.proxyType } == [NSURLProtectionSpaceHTTPSProxy])
    session.invalidateAndCancel()
    _ = await server.stop()
  }

  @Test func aProxyForHTTPIsNoProxyForStreams() async throws {
    let server = try Self.echo()
    let unused = try FreePort.pick()
    let session = try await session {
      $0.connectionProxyDictionary = ["HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": Int(unused)]
    }
    let task = task(session, server.port)
    try await task.write(Data("direct\n".utf8), timeout: 60)
    let answer = try await line(task)
    #expect(answer == "direct")
    session.invalidateAndCancel()
    _ = await server.stop()
  }

  @Test func throughSOCKS() async throws {
    let proxy = try await SOCKSServer.shared
    let server = try Self.echo()
    let session = try await session {
      $0.connectionProxyDictionary = ["SOCKSEnable": 1, "SOCKSProxy": "127.0.0.1", "SOCKSPort": Int(proxy.port)]
    }
    let task = task(session, server.port)
    try await task.write(Data("socks\n".utf8), timeout: 60)
    let answer = try await line(task)
    #expect(answer == "socks")
    let isNoted = await proxy.waitForConnection(to: server.port)
    #expect(isNoted)
    session.invalidateAndCancel()
    _ = await server.stop()
  }

  // MARK: TLS

  @Test func tlsBegins() async throws {
    let server = try await StartTLSServer.start()
    let session = try await session()
    let task = task(session, server.port)
    try await task.write(Data("echo clear\nSTARTTLS\n".utf8), timeout: 60)
    let clear = try await line(task)
    let agreed = try await line(task)
    #expect(clear == "clear" && agreed == "go")
    task.startSecureConnection()
    try await task.write(Data("echo secret\n".utf8), timeout: 60)
    let secret = try await line(task)
    #expect(secret == "secret")
    // Large, both ways.
    let text = String(repeating: "x", count: 300_000)
    async let sent: Void = task.write(Data("echo \(text)\n".utf8), timeout: 60)
    let (data, _) = try await task.readData(ofMinLength: text.count + 1, maxLength: text.count + 1, timeout: 60)
    try await sent
    #expect(data?.count == text.count + 1)
    task.closeWrite()
    let (_, atEOF) = try await task.readData(ofMinLength: 1, maxLength: 1, timeout: 60)
    #expect(atEOF)
    session.invalidateAndCancel()
    await server.stop()
  }

  /// The connection has its local end by then.
  @Test func tlsBeginsWhereConnectionsBeginSomewhere() async throws {
    let server = try await StartTLSServer.start()
    let session = try await session { $0.network.localInterface = "127.0.0.77" }
    let task = task(session, server.port)
    try await task.write(Data("STARTTLS\n".utf8), timeout: 60)
    let agreed = try await line(task)
    #expect(agreed == "go")
    task.startSecureConnection()
    try await task.write(Data("echo secret\n".utf8), timeout: 60)
    let secret = try await line(task)
    #expect(secret == "secret")
    session.invalidateAndCancel()
    await server.stop()
  }

  /// The address that the handshake is made with is nobody else's.
  @Test func tlsBeginsWithNamesOfTheSession() async throws {
    let server = try await StartTLSServer.start()
    let session = try await session { $0.network.addressFamily = .ipv4 }
    for _ in 0..<2 {
      let task = task(session, server.port, host: "localhost")
      try await task.write(Data("STARTTLS\n".utf8), timeout: 60)
      _ = try await line(task)
      task.startSecureConnection()
      try await task.write(Data("echo secret\n".utf8), timeout: 60)
      #expect(try await line(task).contains("secret"))
      task.cancel()
    }
    session.invalidateAndCancel()
    await server.stop()
  }

  @Test func theConnectionTimeoutHolds() async throws {
    let proxy = try ScriptedServer { connection in _ = connection.waitForPeerClose(timeout: .seconds(30)) }
    let session = try await session {
      $0.network.connectionTimeout = 0.3
      $0.connectionProxyDictionary = [
        kCFNetworkProxiesHTTPSProxy: "127.0.0.1", kCFNetworkProxiesHTTPSPort: Int(proxy.port),
      ]
    }
    let task = task(session, 9)
    let error = await #expect(throws: URLError.self) {
      try await task.readData(ofMinLength: 1, maxLength: 1, timeout: 0)
    }
    #expect(error?.code == .timedOut, "\(String(describing: error))")
    session.invalidateAndCancel()
  }

  @Test func aServerThatIsNotTrusted() async throws {
    let server = try await StartTLSServer.start()
    let other = try await StartTLSServer.start(try await TestCertificates.shared.wrongHost)
    for (port, trusts) in [(server.port, false), (other.port, true)] {
      let session = try await session { if !trusts { $0.certificateAuthorityFile = nil } }
      let task = task(session, port)
      try await task.write(Data("STARTTLS\n".utf8), timeout: 60)
      let agreed = try await line(task)
      #expect(agreed == "go")
      task.startSecureConnection()
      let error = await #expect(throws: URLError.self) {
        try await task.write(Data("echo secret\n".utf8), timeout: 60)
        _ = try await task.readData(ofMinLength: 1, maxLength: 1, timeout: 60)
      }
      let codes = [
        URLError.Code.serverCertificateUntrusted, .serverCertificateHasBadDate,
        .secureConnectionFailed,
      ]
      #expect(codes.contains(error?.code ?? .unknown), "\(String(describing: error))")
      session.invalidateAndCancel()
    }
    await server.stop()
    await other.stop()
  }

  @Test(arguments: ["INJECT", "GARBAGE", "CLOSE"]) func tlsThatDoesNotBegin(_ command: String) async throws {
    let server = try await StartTLSServer.start()
    let session = try await session()
    let task = task(session, server.port)
    try await task.write(Data("\(command)\n".utf8), timeout: 60)
    let agreed = try await line(task)
    #expect(agreed == "go")
    task.startSecureConnection()
    let error = await #expect(throws: URLError.self) {
      try await task.write(Data("echo secret\n".utf8), timeout: 60)
      _ = try await task.readData(ofMinLength: 1, maxLength: 1, timeout: 60)
    }
    #expect(error?.code == .secureConnectionFailed, "\(String(describing: error))")
    session.invalidateAndCancel()
    await server.stop()
  }

  /// The request's timeout, and not one of the engine's.
  @Test func aHandshakeThatIsNotAnswered() async throws {
    let server = try await StartTLSServer.start()
    let session = try await session { $0.timeoutIntervalForRequest = 1 }
    let notes = StreamDelegateNotes()
    let task = task(session, server.port, delegate: notes)
    try await task.write(Data("SILENCE\n".utf8), timeout: 60)
    let agreed = try await line(task)
    #expect(agreed == "go")
    let start = ContinuousClock.now
    task.startSecureConnection()
    let error = await #expect(throws: URLError.self) {
      try await task.readData(ofMinLength: 1, maxLength: 1, timeout: 0)
    }
    #expect(error?.code == .timedOut && ContinuousClock.now - start < .seconds(30))
    let end = try await notes.completion()
    #expect((end as? URLError)?.code == .timedOut)
    session.invalidateAndCancel()
    await server.stop()
  }

  /// Behind the handshake a connection may rest for longer than that.
  @Test func aSecureConnectionMayRest() async throws {
    let server = try await StartTLSServer.start()
    let session = try await session { $0.timeoutIntervalForRequest = 2 }
    let task = task(session, server.port)
    try await task.write(Data("STARTTLS\n".utf8), timeout: 60)
    _ = try await line(task)
    task.startSecureConnection()
    try await task.write(Data("echo begun\n".utf8), timeout: 60)
    _ = try await line(task)
    let error = await #expect(throws: URLError.self) {
      try await task.readData(ofMinLength: 1, maxLength: 1, timeout: 3)
    }
    #expect(error?.code == .timedOut)
    try await task.write(Data("echo rested\n".utf8), timeout: 60)
    let answer = try await line(task)
    #expect(answer == "rested")
    session.invalidateAndCancel()
    await server.stop()
  }

  /// What says to the peer that nothing more comes is not written by libcurl, which crashes where the connection has broken.
  @Test func closingAfterTheConnectionHasBroken() async throws {
    let server = try await StartTLSServer.start()
    let session = try await session()
    for command in ["RESET", "LEAVE"] {
      let notes = StreamDelegateNotes()
      let task = task(session, server.port, delegate: notes)
      try await task.write(Data("STARTTLS\n".utf8), timeout: 60)
      _ = try await line(task)
      task.startSecureConnection()
      try await task.write(Data("\(command)\n".utf8), timeout: 60)
      let (data, _) = try await task.readData(ofMinLength: 3, maxLength: 3, timeout: 60)
      #expect(data == Data("bye".utf8))
      _ = try? await task.readData(ofMinLength: 1, maxLength: 1, timeout: 60)
      task.closeWrite()
      _ = try await notes.completion()
    }
    session.invalidateAndCancel()
    await server.stop()
  }

  /// 2 MiB at once, where 1 MiB may wait.
  @Test func aReadOfMoreThanMayWait() async throws {
    let server = try ScriptedServer { connection in
      try connection.send(Data(count: 2 << 20))
      _ = connection.waitForPeerClose()
    }
    let session = try await session()
    let task = task(session, server.port)
    let (data, _) = try await task.readData(ofMinLength: 2 << 20, maxLength: 4 << 20, timeout: 60)
    #expect(data?.count == 2 << 20)
    session.invalidateAndCancel()
    _ = await server.stop()
  }

  /// Bytes that nobody reads do not hold back what is written.
  @Test func writingWhileNothingIsRead() async throws {
    let server = try ScriptedServer { connection in
      try connection.send(Data(count: 512 << 10))
      var count = 0
      while count < 4 << 20 { count += try connection.readSome().count }
      try connection.send(Data(count: 4 << 20))
    }
    let session = try await session { $0.maximumBufferedBytesPerTask = 1_000 }
    let task = task(session, server.port)
    for _ in 0..<4 { try await task.write(Data(count: 1 << 20), timeout: 60) }
    let (data, _) = try await task.readData(ofMinLength: (4 << 20) + (512 << 10), maxLength: 8 << 20, timeout: 60)
    #expect(data?.count == (4 << 20) + (512 << 10))
    session.invalidateAndCancel()
    _ = await server.stop()
  }

  @Test func tlsCannotEnd() async throws {
    let server = try Self.echo()
    let session = try await session()
    let notes = StreamDelegateNotes()
    let task = task(session, server.port, delegate: notes)
    try await task.write(Data("x".utf8), timeout: 60)
    task.stopSecureConnection()
    let end = try await notes.completion()
    #expect((end as? URLError)?.code == .unsupportedURL)
    session.invalidateAndCancel()
    _ = await server.stop()
  }

  // MARK: Streams

  @Test func capturedStreams() async throws {
    let server = try Self.echo()
    let session = try await session()
    let notes = StreamDelegateNotes()
    let task = task(session, server.port, delegate: notes)
    try await task.write(Data("before".utf8), timeout: 60)
    _ = try await task.readData(ofMinLength: 6, maxLength: 6, timeout: 60)
    task.captureStreams()
    let isCaptured = try await eventually { notes.streams.value != nil }
    #expect(isCaptured)
    let pair = try #require(notes.streams.value)
    let (text, end) = await withCheckedContinuation { (continuation: CheckedContinuation<(String, Int), Never>) in
      Thread.detachNewThread {
        let (input, output) = (pair.input, pair.output)
        input.open()
        output.open()
        var sent = Array("through streams".utf8)
        _ = output.write(&sent, maxLength: sent.count)
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 4)
        while text.utf8.count < sent.count {
          let count = input.read(&buffer, maxLength: buffer.count)
          guard count > 0 else { break }
          text += String(decoding: buffer[..<count], as: UTF8.self)
        }
        output.close()
        let end = input.read(&buffer, maxLength: buffer.count)
        input.close()
        continuation.resume(returning: (text, end))
      }
    }
    #expect(text == "through streams")
    #expect(end == 0)
    let error = try await notes.completion()
    #expect(error == nil)
    session.invalidateAndCancel()
    _ = await server.stop()
  }

  @Test func aDataTaskBecomesAStream() async throws {
    let nginx = try await NginxServer.shared
    let session = try await session()
    let task = session.dataTask(with: nginx.url())
    let notes = StreamDelegateNotes(becomesStream: true)
    task.delegate = notes
    task.resume()
    let isStream = try await eventually { notes.successor.value != nil }
    #expect(isStream)
    let stream = try #require(notes.successor.value)
    var body = Data()
    while true {
      let (data, atEOF) = try await stream.readData(ofMinLength: 1, maxLength: 7, timeout: 60)
      body += data ?? Data()
      if atEOF { break }
    }
    #expect(body == DocumentRoot.small)
    let error = await #expect(throws: URLError.self) { try await stream.write(Data([1]), timeout: 1) }
    #expect(error?.code == .networkConnectionLost)
    session.invalidateAndCancel()
  }
}
