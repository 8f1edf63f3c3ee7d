import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

@Suite struct StreamSinkTests {
  private func write(_ data: Data, to sink: StreamSink) -> Bool? {
    data.withUnsafeBytes { try? sink.write($0) }
  }

  private func response() throws -> URLResponse {
    URLResponse(
      url: try #require(URL(string: "a:b")), mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
  }

  @Test func keepsBytesForALateReader() async throws {
    let sink = StreamSink()
    #expect(write(Data([1, 2]), to: sink) == true)
    #expect(write(Data([3]), to: sink) == true)
    sink.end(nil)
    var all = Data()
    while let chunk = try await sink.nextChunk() { all.append(chunk) }
    #expect(all == Data([1, 2, 3]))
    #expect(try await sink.nextChunk() == nil)
  }

  @Test func smallPiecesAreJoined() async throws {
    let sink = StreamSink()
    for _ in 0..<16_384 { _ = write(Data([7]), to: sink) }
    #expect(try await sink.nextChunk()?.count == 16_384)
  }

  @Test func aWaitingReaderGetsBytesAtOnce() async throws {
    let sink = StreamSink()
    let reading = Task {
      var count = 0
      while let chunk = try await sink.nextChunk() { count += chunk.count }
      return count
    }
    // Bytes that a waiting reader takes do not count as waiting.
    let written = Watched(0)
    #expect(
      try await eventually {
        written.update { $0 += 1 }
        return self.write(Data([1]), to: sink) == false
      })
    sink.end(nil)
    #expect(try await reading.value == written.value)
  }

  @Test func theFirstEndCounts() async throws {
    let sink = StreamSink()
    sink.end(nil)
    sink.end(URLError(.cancelled))
    #expect(try await sink.nextChunk() == nil)
    let failed = StreamSink()
    failed.end(URLError(.timedOut))
    failed.end(nil)
    await #expect(throws: URLError.self) { _ = try await failed.nextChunk() }
    await #expect(throws: URLError.self) { _ = try await failed.response() }
  }

  @Test func aWaitingReaderSeesTheEnd() async throws {
    for error in [nil, URLError(.timedOut)] {
      let sink = StreamSink()
      let chunk = Task { try await sink.nextChunk() }
      let response = Task { try await sink.response() }
      await Task.yield()
      sink.end(error)
      if let error {
        await #expect(throws: error) { try await chunk.value }
      } else {
        #expect(try await chunk.value == nil)
      }
      await #expect(throws: URLError.self) { try await response.value }
    }
  }

  @Test func theFirstResponseIsGiven() async throws {
    let sink = StreamSink()
    let first = try response()
    let waiting = Task { try await sink.response() }
    await Task.yield()
    sink.begin(response: first)
    sink.begin(response: try response())
    #expect(try await waiting.value === first)
    #expect(try await sink.response() === first)
  }

  @Test func nothingIsLostBetweenThreads() async throws {
    let sink = StreamSink()
    Thread.detachNewThread {
      for number in 0..<20_000 { _ = self.write(Data([UInt8(truncatingIfNeeded: number)]), to: sink) }
      sink.end(nil)
    }
    var next = 0
    while let chunk = try await sink.nextChunk() {
      for byte in chunk {
        guard byte == UInt8(truncatingIfNeeded: next) else { return #expect(Bool(false), "byte \(next) is \(byte)") }
        next += 1
      }
    }
    #expect(next == 20_000)
  }
}
