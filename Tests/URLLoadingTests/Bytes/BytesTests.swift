import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@Suite(.timeLimit(.minutes(4))) struct BytesTests {
  @Test func linesComeAsTheyAreSent() async throws {
    let step = Watched(0)
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      for number in 1...3 {
        try connection.sendChunk(Data("line \(number)\r\nän".utf8))
        _ = step.waitBlocking { $0 >= number }
      }
      try connection.send("0\r\n\r\n")
    }
    let session = RecordedSession()
    let (bytes, response) = try await session.session.bytes(from: server.url())
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
    var lines: [String] = []
    for try await line in bytes.lines {
      lines.append(line)
      step.update { $0 += 1 }
    }
    #expect(lines == ["line 1", "änline 2", "änline 3", "än"])
  }

  @Test func theResponseComesBeforeTheBody() async throws {
    let more = AsyncEvent()
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n")
      _ = more.waitBlocking()
      try connection.send("body")
    }
    let session = RecordedSession()
    let (bytes, response) = try await session.session.bytes(from: server.url())
    #expect(response.expectedContentLength == 4)
    more.signal()
    var body = Data()
    for try await byte in bytes { body.append(byte) }
    #expect(body == Data("body".utf8))
  }

  @Test func aFailureComesBehindTheBytes() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
    }
    let session = RecordedSession()
    let (bytes, _) = try await session.session.bytes(from: server.url())
    var body = Data()
    let error = await #expect(throws: URLError.self) {
      for try await byte in bytes { body.append(byte) }
    }
    #expect(body == Data("abc".utf8))
    #expect(error?.code == .networkConnectionLost)
  }

  @Test func aReaderThatStopsCancelsTheLoad() async throws {
    let closed = AsyncEvent()
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send("HTTP/1.1 200 OK\r\n\r\nabc")
      if connection.waitForPeerClose() { closed.signal() }
    }
    let session = RecordedSession()
    func readOne() async throws {
      let (bytes, _) = try await session.session.bytes(from: server.url())
      for try await _ in bytes { break }
    }
    try await readOne()
    #expect(await closed.wait())
    #expect(try await eventually { await session.session.allTasks.isEmpty })
  }

  @Test func aReaderThatRestsHoldsTheServerBack() async throws {
    let sent = Watched(0)
    let size = 96 << 20
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
      for _ in 0..<(size >> 20) {
        try connection.send(Data(count: 1 << 20))
        sent.update { $0 += 1 << 20 }
      }
      _ = connection.waitForPeerClose()
    }
    let session = RecordedSession()
    let (bytes, _) = try await session.session.bytes(from: server.url())
    // The rest is in the buffers of both sockets.
    #expect(await !sent.wait(timeout: .seconds(1)) { $0 > 32 << 20 })
    #expect(bytes.task.countOfBytesReceived <= 2 << 20)
    bytes.task.cancel()
  }

  @Test func bytesGoThroughRedirectsChallengesAndDelegates() async throws {
    let nginx = try await NginxServer.shared
    let recorder = LoadRecorder(onChallenge: { _ in
      (.useCredential, URLCredential(user: NginxServer.user, password: NginxServer.password, persistence: .none))
    })
    let session = RecordedSession(recorder)
    let record = await session.load(nginx.url("/redirect/302?to=/basic/small.txt"), by: .bytes)
    #expect(record.body == DocumentRoot.small)
    #expect(await session.recorder.records.wait { $0.values.first?.metrics != nil })
    let events = recorder.records.value.values.first?.events
    #expect(
      events == ["redirect", "challenge", "metrics"] || events == ["redirect", "challenge", "metrics", "completion"])
  }

  @Test func linesOfAURL() async throws {
    var lines: [String] = []
    for try await line in URL(stringLiteral: "data:,one%0Atwo").lines { lines.append(line) }
    #expect(lines == ["one", "two"])
    await #expect(throws: URLError.self) {
      for try await _ in URL(fileURLWithPath: "/no/such/file").lines {}
    }
  }
}
