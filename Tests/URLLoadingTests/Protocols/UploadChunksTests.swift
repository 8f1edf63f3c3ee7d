import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Upload bodies in pieces, apart from any load.
@Suite(.timeLimit(.minutes(4))) struct UploadChunksTests {
  private static let bytes = Data(TestFiles.pattern(count: 700_001))

  private func collect(_ body: URLUploadBody) async throws -> [Data] {
    var chunks: [Data] = []
    for try await chunk in body.chunks { chunks.append(chunk) }
    return chunks
  }

  @Test func everyKindOfBodyIsReadWhole() async throws {
    let folder = try TemporaryDirectory("chunks")
    let file = try folder.write("body", Self.bytes)
    let length = Int64(Self.bytes.count)
    // A part of another `Data` has other indices.
    let part = (Data([1, 2, 3]) + Self.bytes).dropFirst(3)
    let bodies: [URLUploadBody] = [
      .data(Self.bytes), .data(part), .file(file, length: length), .stream(InputStream(data: Self.bytes), length: nil),
      .stream(InputStream(data: Self.bytes), length: length),
    ]
    for body in bodies {
      let chunks = try await collect(body)
      #expect(chunks.reduce(Data(), +) == Self.bytes)
      #expect(chunks.allSatisfy { !$0.isEmpty && $0.count <= 256 << 10 })
    }
    // Not of a stream, which is read once.
    #expect(try await collect(bodies[0]).count == 3)
    #expect(try await collect(bodies[2]).reduce(Data(), +) == Self.bytes)
    for empty in [URLUploadBody.data(Data()), .stream(InputStream(data: Data()), length: 0)] {
      #expect(try await collect(empty).isEmpty)
    }
  }

  @Test func whatIsWrongWithABodyIsThrown() async throws {
    let folder = try TemporaryDirectory("chunks")
    let file = try folder.write("body", Data(count: 1000))
    let bodies: [(URLUploadBody, URLError.Code)] = [
      (.file(folder.file("nothing"), length: 3), .cannotOpenFile),
      (.file(file, length: 1001), .cannotDecodeRawData),
      (.stream(InputStream(data: Data(count: 9)), length: 10), .cannotDecodeRawData),
      (.stream(InputStream(data: Data(count: 11)), length: 10), .cannotDecodeRawData),
    ]
    for (body, code) in bodies {
      var iterator = body.chunks.makeAsyncIterator()
      let error = await #expect(throws: URLError.self) { while try await iterator.next() != nil {} }
      #expect(error?.code == code)
      #expect(try await iterator.next() == nil)
    }
    let failing = FailingStream()
    await #expect(throws: POSIXError(.EIO)) { try await collect(.stream(failing, length: nil)) }
  }

  /// Nothing ever comes from the stream; the function does not wait for that.
  @Test func cancellingEndsAReadThatWaits() async throws {
    let events = StallingStream.Events()
    defer { events.released.signal() }
    let reading = Task { [body = URLUploadBody.stream(StallingStream(events), length: nil)] in
      for try await _ in body.chunks {}
    }
    #expect(await events.hasStalled.wait())
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await reading.value }
  }
}

/// Fails at the first read.
private final class FailingStream: InputStream {
  init() { super.init(data: Data()) }
  override var streamStatus: Stream.Status { .error }
  override var streamError: (any Error)? { POSIXError(.EIO) }
  override func open() {}
  override func close() {}
  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int { -1 }
}
