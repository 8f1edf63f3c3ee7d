import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// `BodyPipe` and the stream that reads it.
@Suite(.timeLimit(.minutes(2))) struct BodyPipeTests {
  /// Reads on a thread of its own, since that may block; nil for an error.
  private func read(_ stream: InputStream, _ count: Int) async -> [UInt8]? {
    let handed = HandedStream(stream)
    return await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = handed.stream?.read(&bytes, maxLength: count) ?? -1
        continuation.resume(returning: read < 0 ? nil : Array(bytes.prefix(read)))
      }
    }
  }

  @Test func piecesComeInOrderAndToTheirEnd() async throws {
    let pipe = BodyPipe()
    let stream = PipedInputStream(pipe)
    stream.open()
    #expect(stream.streamStatus == .open && !stream.hasBytesAvailable)
    let writing = Task {
      for piece in ["abc", "", "defg"] { try await pipe.write(Data(piece.utf8)) }
      pipe.end()
    }
    var bytes: [UInt8] = []
    while let piece = await read(stream, 2), !piece.isEmpty { bytes += piece }
    #expect(String(decoding: bytes, as: UTF8.self) == "abcdefg")
    #expect(stream.streamStatus == .atEnd && stream.streamError == nil)
    try await writing.value
  }

  @Test func aWriterWaitsForItsReader() async throws {
    let pipe = BodyPipe()
    let stream = PipedInputStream(pipe)
    stream.open()
    let written = Watched(0)
    let writing = Task {
      for _ in 0..<3 {
        try await pipe.write(Data("ab".utf8))
        written.update { $0 += 1 }
      }
    }
    #expect(await read(stream, 1)?.count == 1)
    // The half of a piece is still there.
    #expect(written.value == 0)
    #expect(await read(stream, 9)?.count == 1)
    #expect(await written.wait { $0 == 1 })
    stream.close()
    await #expect(throws: CancellationError.self) { try await writing.value }
  }

  @Test func anErrorEndsTheStream() async throws {
    let pipe = BodyPipe()
    let stream = PipedInputStream(pipe)
    stream.open()
    pipe.end(URLError(.timedOut))
    pipe.end()
    #expect(await read(stream, 4) == nil)
    #expect(stream.streamStatus == .error && (stream.streamError as? URLError)?.code == .timedOut)
    #expect(await read(stream, 4) == nil)
  }

  @Test func aCancelledWriterEndsTheStream() async throws {
    let pipe = BodyPipe()
    let writing = Task { try await pipe.write(Data("abc".utf8)) }
    writing.cancel()
    await #expect(throws: CancellationError.self) { try await writing.value }
    let stream = PipedInputStream(pipe)
    stream.open()
    #expect(await read(stream, 4) == nil)
    #expect(stream.streamError is CancellationError)
  }

  /// What was closed ahead of its end is not whole.
  @Test func aClosedPipeIsNoEnd() async throws {
    let pipe = BodyPipe()
    let stream = PipedInputStream(pipe)
    stream.open()
    pipe.close()
    #expect(await read(stream, 4) == nil)
    #expect(stream.streamError is CancellationError)
  }

  @Test func aStreamThatGoesAwayIsClosed() async throws {
    let pipe = BodyPipe()
    do { _ = PipedInputStream(pipe) }
    await #expect(throws: CancellationError.self) { try await pipe.write(Data("abc".utf8)) }
  }
}
