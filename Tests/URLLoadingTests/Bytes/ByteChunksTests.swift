import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

@Suite(.timeLimit(.minutes(4))) struct ByteChunksTests {
  private func open() async throws -> (Puppet, URLSession.AsyncBytes) {
    let configuration = Puppet.configuration()
    configuration.maximumBufferedBytesPerTask = 1000
    let url = Puppet.freshURL()
    let opening = Task { try await URLSession(configuration: configuration).bytes(from: url).0 }
    let puppet = try #require(await Puppet.of(url.host() ?? ""))
    puppet.respond()
    return (puppet, try await opening.value)
  }

  @Test func theWholeComesInPieces() async throws {
    let server = try await NginxServer.shared
    let session = RecordedSession()
    let (bytes, response) = try await session.session.bytes(from: server.url("/large.bin"))
    var (body, pieces) = (Data(), 0)
    for try await chunk in bytes.chunks {
      #expect(!chunk.isEmpty)
      body.append(chunk)
      pieces += 1
    }
    #expect(Int64(body.count) == response.expectedContentLength)
    #expect(try body == Data(contentsOf: server.documentRoot.appending(path: "large.bin")))
    #expect(pieces > 1)
  }

  @Test func anEmptyBodyHasNoPieces() async throws {
    let session = RecordedSession()
    let (bytes, _) = try await session.session.bytes(from: "data:," as URL)
    for try await chunk in bytes.chunks { Issue.record("\(chunk)") }
  }

  @Test func aSlowReaderHoldsTheSenderBack() async throws {
    let (puppet, bytes) = try await open()
    puppet.send(Data(count: 999))
    #expect(puppet.calls.value == ["start"])
    puppet.send(Data(count: 1))
    #expect(puppet.calls.value == ["start", "pause"])
    var iterator = bytes.chunks.makeAsyncIterator()
    #expect(try await iterator.next()?.count == 1000)
    #expect(await puppet.calls.wait { $0 == ["start", "pause", "resume"] })
    puppet.finish()
    #expect(try await iterator.next() == nil)
    #expect(try await iterator.next() == nil)
  }

  @Test func theBufferStaysSmall() async throws {
    let size = 96 << 20
    let sent = Watched(0)
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
    var count = 0
    for try await chunk in bytes.chunks {
      count += chunk.count
      // What the load has beyond that is its buffer.
      #expect(bytes.task.countOfBytesReceived - Int64(count) <= 2 << 20)
    }
    #expect(count == size)
    #expect(await sent.wait { $0 == size })
  }

  @Test func aReaderThatStopsCancelsTheLoad() async throws {
    func readOne() async throws -> Puppet {
      let (puppet, bytes) = try await open()
      puppet.send("abc")
      for try await chunk in bytes.chunks {
        #expect(chunk == Data("abc".utf8))
        break
      }
      #expect(puppet.calls.value.last != "stop")
      withExtendedLifetime(bytes) {}
      return puppet
    }
    #expect(try await readOne().calls.wait { $0.last == "stop" })
  }

  @Test func theSequenceOfPiecesKeepsTheLoad() async throws {
    func chunks() async throws -> (Puppet, URLSession.AsyncBytes.Chunks) {
      let (puppet, bytes) = try await open()
      return (puppet, bytes.chunks)
    }
    let (puppet, chunks) = try await chunks()
    puppet.send("abc")
    puppet.finish()
    var body = Data()
    for try await chunk in chunks { body.append(chunk) }
    #expect(body == Data("abc".utf8))
  }

  @Test func anErrorComesBehindThePieces() async throws {
    let (puppet, bytes) = try await open()
    puppet.send("abc")
    puppet.client?.urlProtocol(puppet, didFailWithError: URLError(.networkConnectionLost))
    var iterator = bytes.chunks.makeAsyncIterator()
    #expect(try await iterator.next() == Data("abc".utf8))
    let error = await #expect(throws: URLError.self) { _ = try await iterator.next() }
    #expect(error?.code == .networkConnectionLost)
    #expect(try await iterator.next() == nil)
  }

  @Test func cancellingTheReaderEndsItsWait() async throws {
    let (puppet, bytes) = try await open()
    let reading = Task {
      for try await _ in bytes.chunks {}
    }
    reading.cancel()
    await #expect(throws: (any Error).self) { try await reading.value }
    #expect(await puppet.calls.wait { $0.last == "stop" })
  }

  @Test func aReaderThatBeginsCancelledCancelsTheLoad() async throws {
    let (puppet, bytes) = try await open()
    puppet.send("abc")
    let reading = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      for try await _ in bytes.chunks {}
    }
    await #expect(throws: CancellationError.self) { try await reading.value }
    #expect(await puppet.calls.wait { $0.last == "stop" })
    withExtendedLifetime(bytes) {}
  }

  /// As the documentation of `chunks` says.
  @Test func bytesAndChunksFollowEachOther() async throws {
    let (puppet, bytes) = try await open()
    var iterator = bytes.makeAsyncIterator()
    puppet.send("abc")
    #expect(try await iterator.next() == UInt8(ascii: "a"))
    puppet.send("def")
    var chunks = bytes.chunks.makeAsyncIterator()
    #expect(try await chunks.next() == Data("def".utf8))
    #expect(try await iterator.next() == UInt8(ascii: "b"))
    puppet.send("ghi")
    puppet.finish()
    #expect(try await iterator.next() == UInt8(ascii: "c"))
    #expect(try await iterator.next() == UInt8(ascii: "g"))
    #expect(try await chunks.next() == nil)
  }
}
