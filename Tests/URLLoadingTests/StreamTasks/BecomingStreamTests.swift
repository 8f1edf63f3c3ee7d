import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Data tasks whose body is read as a stream.
@Suite(.timeLimit(.minutes(4))) struct BecomingStreamTests: StreamTaskSuite {
  private static let piece = TestFiles.pattern(count: 64 << 10)
  /// 64 MiB.
  private static let count = 1_024
  /// What the session buffers, and what is in the sockets' buffers.
  private static let bound = 256

  /// A body in chunks comes as it is, without their framing, and no faster than it is read.
  @Test func aLargeBodyInChunks() async throws {
    let sent = Watched(0)
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      for _ in 0..<Self.count {
        try connection.sendChunk(Self.piece)
        sent.update { $0 += 1 }
      }
      try connection.sendChunk(Data())
      _ = connection.waitForPeerClose()
    }
    let session = try await session()
    let (stream, notes) = try await Self.stream(of: session, server.url())
    let ahead = await sent.settled()
    #expect(ahead < Self.bound)
    var pieces = 0
    var isOver = false
    while !isOver {
      let length = Self.piece.count
      let (data, atEOF) = try await stream.readData(ofMinLength: length, maxLength: length, timeout: 60)
      isOver = atEOF
      guard let data, !data.isEmpty else { break }
      let isRight = data == Self.piece
      #expect(isRight, "piece \(pieces)")
      guard isRight else { break }
      pieces += 1
    }
    #expect(pieces == Self.count)
    let end = try await notes.completion()
    #expect(end == nil)
    session.invalidateAndCancel()
    _ = await server.stop()
  }

  /// The stream that a data task has become.
  private static func stream(
    of session: URLSession, _ url: URL
  ) async throws -> (URLSessionStreamTask, StreamDelegateNotes) {
    let notes = StreamDelegateNotes(becomesStream: true)
    let task = session.dataTask(with: url)
    task.delegate = notes
    task.resume()
    #expect(await notes.successor.wait { $0 != nil })
    return (try #require(notes.successor.value), notes)
  }

  /// A body that breaks off is an error of the stream, after what came.
  @Test func aBodyThatBreaksOff() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      try connection.sendChunk(Data("whole".utf8))
      try connection.send("5\r\nha")
    }
    let session = try await session()
    let (stream, notes) = try await Self.stream(of: session, server.url())
    let (data, _) = try await stream.readData(ofMinLength: 5, maxLength: 5, timeout: 60)
    #expect(data == Data("whole".utf8))
    await #expect(throws: URLError.self) {
      try await stream.readData(ofMinLength: 5, maxLength: 5, timeout: 60)
    }
    let end = try await notes.completion()
    #expect(end is URLError)
    session.invalidateAndCancel()
    _ = await server.stop()
  }
}
