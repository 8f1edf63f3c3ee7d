import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Resources without byte ranges, which are loaded as a whole.
@Suite(.timeLimit(.minutes(4))) struct RandomAccessWholeTests {
  private let session = URLSession(configuration: .ephemeral)
  private let directory: TemporaryDirectory
  private let body = TestFiles.pattern(count: 300_000, seed: 8)

  init() throws {
    directory = try TemporaryDirectory("spool")
  }

  private func options(limit: Int64 = 1 << 30) -> RandomAccessOptions {
    var options = RandomAccessOptions.small(first: .suffix(1000))
    options.temporaryDirectory = directory.url
    options.maximumSpooledBytes = limit
    return options
  }

  @Test func aServerWithoutRangesIsAskedOnce() async throws {
    let name = "whole-\(UInt64.random(in: 0 ... .max)).bin"
    let server = try await NginxServer.shared
    try server.addFile(name, count: body.count, seed: 8)
    let resource = try await session.randomAccess(to: server.url("/noranges/\(name)"), options: options())
    #expect(resource.length == 300_000 && !resource.hasByteRanges && resource.isRemote)
    #expect(resource.validators.entityTag != nil)
    let reader = resource.makeReader()
    for (start, count) in [(299_000, 5000), (0, 1), (100, 200_000), (300_000, 1)] {
      let expected = body.dropFirst(start).prefix(count)
      #expect(try await difference(resource.read(at: Int64(start), count: count), from: expected) == nil)
      #expect(try await difference(reader.bytes(at: Int64(start), count: count), from: expected) == nil)
    }
    #expect(await server.waitForAccess(name))
    #expect(server.accessLog.count { $0.contains(name) } == 1)
    // The file has no name.
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
  }

  @Test func readsWaitForTheBytesThatTheyNeed() async throws {
    let go = AsyncEvent()
    let body = body
    let server = try ScriptedServer { connection in
      guard try connection.readRequest() != nil else { return }
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n")
      try connection.send(body.prefix(100_000))
      _ = go.waitBlocking()
      try connection.send(body.dropFirst(100_000))
    }
    let resource = try await session.randomAccess(to: server.url(), options: options())
    #expect(try await difference(resource.read(at: 90_000, count: 10_000), from: body[90_000..<100_000]) == nil)
    #expect(try await difference(resource.makeReader().bytes(at: 0, count: 100_000), from: body[0..<100_000]) == nil)
    let reader = resource.makeReader()
    let cancelled = Task { try await reader.bytes(at: 100_000, count: 1) }
    let waiting = Task { try await resource.makeReader().bytes(at: 50_000, count: 250_000) }
    let suspended = Task { try await resource.read(at: 299_999, count: 5) }
    reader.cancel()
    await #expect(throws: URLError.self) { try await cancelled.value }
    go.signal()
    #expect(try await difference(waiting.value, from: body[50_000...]) == nil)
    #expect(try await difference(suspended.value, from: body[299_999...]) == nil)
    #expect(server.requests.count == 1)
  }

  @Test func aLengthThatIsNotAnnouncedIsWaitedFor() async throws {
    let body = body
    let server = try ScriptedServer { connection in
      guard try connection.readRequest() != nil else { return }
      try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      for start in stride(from: 0, to: body.count, by: 7000) {
        try connection.sendChunk(body[start..<min(start + 7000, body.count)])
      }
      try connection.sendChunk(Data())
    }
    let resource = try await session.randomAccess(to: server.url(), options: options())
    #expect(resource.length == 300_000)
    #expect(try await difference(resource.read(at: 12_345, count: 1000), from: body[12_345..<13_345]) == nil)
  }

  @Test func aBodyThatEndsTooEarlyIsAnError() async throws {
    let body = body
    let server = try ScriptedServer { connection in
      guard let request = try connection.readRequest() else { return }
      let isChunked = request.path == "/chunked"
      try connection.send(
        "HTTP/1.1 200 OK\r\n\(isChunked ? "Transfer-Encoding: chunked" : "Content-Length: 300000")\r\n\r\n")
      if isChunked { try connection.sendChunk(body.prefix(1000)) } else { try connection.send(body.prefix(1000)) }
    }
    let resource = try await session.randomAccess(to: server.url(), options: options())
    let error = try await #require(throws: URLError.self) { try await resource.read(at: 0, count: 5000) }
    #expect(error.code == .networkConnectionLost && error.failingURL == server.url())
    await #expect(throws: URLError.self) { try await resource.read(at: 0, count: 5) }
    await #expect(throws: URLError.self) {
      try await session.randomAccess(to: server.url("/chunked"), options: options())
    }
  }

  @Test func tooLargeAWholeIsAnErrorThatNamesTheOption() async throws {
    let body = body
    let server = try ScriptedServer { connection in
      while let request = try connection.readRequest() {
        guard request.path == "/chunked" else {
          try connection.send(HTTPResponse(200, body: body))
          continue
        }
        try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while true { try connection.sendChunk(body) }
      }
    }
    for path in ["/", "/chunked"] {
      let error = try await #require(throws: URLError.self) {
        try await session.randomAccess(to: server.url(path), options: options(limit: 299_999))
      }
      #expect(error.code == .dataLengthExceedsMaximum && error.failingURL == server.url(path))
      #expect(error.localizedDescription.contains("maximumSpooledBytes"))
    }
    #expect(try await session.randomAccess(to: server.url(), options: options(limit: 300_000)).length == 300_000)
  }

  @Test func aDirectoryThatIsNotThereIsAnError() async throws {
    let server = try await NginxServer.shared
    var options = options()
    options.temporaryDirectory = directory.file("missing")
    let error = try await #require(throws: URLError.self) {
      try await session.randomAccess(to: server.url("/noranges/large.bin"), options: options)
    }
    #expect(error.code == .cannotCreateFile)
    #expect(error.localizedDescription.contains(directory.file("missing").path))
  }

  @Test(.enabled(if: !Sanitizing.isOn)) func aFullDiskIsAnError() async throws {
    let server = try await NginxServer.shared
    let worker = try DownloadWorker(
      ["limited-random-access", server.url("/noranges/large.bin").absoluteString, "1000000"], in: directory)
    #expect(await worker.process.waitForExit() == .exited(0))
    #expect(worker.lines.first == "error \(URLError.cannotWriteToFile.rawValue) \(EFBIG)", "\(worker.lines)")
  }

  @Test func closingEndsTheLoad() async throws {
    let closed = AsyncEvent()
    let server = try ScriptedServer { connection in
      guard try connection.readRequest() != nil else { return }
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\nbegin")
      if connection.waitForPeerClose() { closed.signal() }
    }
    let resource = try await session.randomAccess(to: server.url(), options: options())
    let waiting = Task { try await resource.read(at: 1000, count: 10) }
    #expect(try await resource.read(at: 0, count: 5) == Data("begin".utf8))
    resource.close()
    let error = try await #require(throws: URLError.self) { try await waiting.value }
    #expect(error.code == .cancelled)
    #expect(await closed.wait())
    await #expect(throws: URLError.self) { try await resource.read(at: 0, count: 5) }
  }
}
