import CurlTransport
import Foundation
import TestServers
import Testing

@testable import URLLoading

@Suite struct BodySourceTests {
  private enum Outcome: Equatable {
    case bytes(Data)
    case failed(Data)
  }

  /// Reads as libcurl does; where it would pause, waits until there is something.
  private func readAll(_ source: BodySource, piece: Int = 100_000) async throws -> Outcome {
    var all = Data()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: piece, alignment: 1)
    defer { buffer.deallocate() }
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
      switch source.read(into: buffer) {
      case .bytes(let count): all.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      case .end: return .bytes(all)
      case .failed: return .failed(all)
      case .wait: try await Task.sleep(for: .milliseconds(1))
      }
    }
    throw CancellationError()
  }

  private func bytes(_ count: Int) -> Data {
    var generator = SeededGenerator(seed: 9)
    return generator.bytes(count)
  }

  @Test func kindsOfBodies() throws {
    guard case .data = BodySource(.data(Data([1]))).transferBody else { return #expect(Bool(false)) }
    let stream = BodySource(.stream(InputStream(data: Data()), length: 5))
    guard case .source(_, length: 5) = stream.transferBody else { return #expect(Bool(false)) }
  }

  @Test(arguments: [0, 1, 262_143, 262_144, 262_145, 1_000_000])
  func filesAndStreams(count: Int) async throws {
    let folder = try TemporaryDirectory()
    let all = bytes(count)
    let file = try folder.write("body", all)
    #expect(try await readAll(BodySource(.file(file, length: Int64(count)))) == .bytes(all))
    #expect(try await readAll(BodySource(.stream(InputStream(data: all), length: nil))) == .bytes(all))
  }

  @Test func filesRewindAtAnyTime() async throws {
    let folder = try TemporaryDirectory()
    let all = bytes(1_000_000)
    let source = BodySource(.file(try folder.write("body", all), length: 1_000_000))
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1000, alignment: 1)
    defer { buffer.deallocate() }
    for round in 0..<50 {
      for _ in 0..<round { _ = source.read(into: buffer) }
      #expect(source.rewind())
    }
    #expect(try await readAll(source) == .bytes(all))
    #expect(source.rewind())
    #expect(try await readAll(source) == .bytes(all))
  }

  @Test func streamsRewindOnlyUntouched() async throws {
    let source = BodySource(.stream(InputStream(data: Data([1, 2, 3])), length: nil))
    #expect(source.rewind())
    #expect(try await readAll(source) == .bytes(Data([1, 2, 3])))
    #expect(!source.rewind())
  }

  @Test func bytesComeBeforeTheFailure() async throws {
    let folder = try TemporaryDirectory()
    let all = bytes(300_000)
    let source = BodySource(.file(try folder.write("body", all), length: 300_001))
    #expect(try await readAll(source) == .failed(all))
    #expect(try await readAll(source) == .failed(Data()))
    #expect(source.rewind())
    #expect(try await readAll(source) == .failed(all))
  }
}
