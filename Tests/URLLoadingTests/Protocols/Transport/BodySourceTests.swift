import Foundation
import Testing
import URLLoadingTestServers

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
      case .failed, .secure: return .failed(all)
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

  /// A file in a folder that is kept in memory, and how often whoever reads it is told to wait.
  private func waits(in file: URL, length: Int64, between: () throws -> Void) async throws -> (
    outcome: Outcome, waits: Int
  ) {
    let source = BodySource(.file(file, length: length))
    var first = Data(count: 1000)
    var count = 0
    while count == 0 {
      if case .bytes(let read) = first.withUnsafeMutableBytes({ source.read(into: $0) }) { count = read }
      try await Task.sleep(for: .milliseconds(1))
    }
    try between()
    var all = first.prefix(count)
    var waits = 0
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 100_000, alignment: 1)
    defer { buffer.deallocate() }
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
      switch source.read(into: buffer) {
      case .bytes(let count): all.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      case .end: return (.bytes(all), waits)
      case .failed, .secure: return (.failed(all), waits)
      case .wait:
        // At its end the reader is asked, which libcurl never does: it knows the length.
        if all.count < length { waits += 1 }
        try await Task.sleep(for: .milliseconds(1))
      }
    }
    throw CancellationError()
  }

  @Test func whatIsInMemoryIsNotWaitedFor() async throws {
    let folder = try TemporaryDirectory(in: "/dev/shm")
    let all = bytes(3_000_000)
    let file = try folder.write("body", all)
    let (outcome, waits) = try await waits(in: file, length: 3_000_000) {}
    #expect(outcome == .bytes(all))
    #expect(waits == 0)
  }

  @Test func aFileThatShrinksFailsAfterWhatItHas() async throws {
    let folder = try TemporaryDirectory(in: "/dev/shm")
    let all = bytes(3_000_000)
    let file = try folder.write("body", all)
    let (outcome, _) = try await waits(in: file, length: 3_000_000) { truncate(file.path, 2_000_000) }
    #expect(outcome == .failed(all.prefix(2_000_000)))
  }

  /// Its last piece is withheld.
  @Test func aFileThatGrowsFails() async throws {
    let folder = try TemporaryDirectory(in: "/dev/shm")
    let all = bytes(3_000_000)
    let file = try folder.write("body", all)
    let (outcome, _) = try await waits(in: file, length: 2_000_000) {}
    guard case .failed(let sent) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(sent.count < 2_000_000 && sent == all.prefix(sent.count))
  }

  @Test func whatTheDiskHasComesInOrderToo() async throws {
    let folder = try TemporaryDirectory()
    let all = bytes(3_000_000)
    let file = try folder.write("body", all)
    let descriptor = open(file.path, O_RDONLY)
    defer { close(descriptor) }
    let (outcome, _) = try await waits(in: file, length: 3_000_000) {
      // Out of memory, for what comes after the first mebibyte.
      #expect(fsync(descriptor) == 0)
      #expect(posix_fadvise(descriptor, 1 << 20, 0, POSIX_FADV_DONTNEED) == 0)
    }
    #expect(outcome == .bytes(all))
  }

  private final class Sender: BodySender {
    let resumed = Watched(0)
    func resumeSending() { resumed.update { $0 += 1 } }
  }

  /// A request is sent again once its server is judged: the second transfer may wait for the body before the source knows of it.
  @Test func whatCameForAnEarlierTransferIsToldToTheNext() async throws {
    let source = BodySource(.stream(InputStream(data: Data([1, 2, 3])), length: 3))
    let (first, second) = (Sender(), Sender())
    source.attach(to: first)
    #expect(first.resumed.value == 0)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 10, alignment: 1)
    defer { buffer.deallocate() }
    guard case .wait = source.read(into: buffer) else {
      Issue.record("It was there at once.")
      return
    }
    #expect(await first.resumed.wait { $0 == 1 })
    source.attach(to: second)
    #expect(second.resumed.value == 1)
    #expect(try await readAll(source) == .bytes(Data([1, 2, 3])))
  }

  /// The thread that has begun the first transfer may set it when it is over, and another has begun.
  @Test func anEarlierTransferThatIsSetLaterReplacesNone() async throws {
    let source = BodySource(.stream(InputStream(data: Data([1, 2, 3])), length: 3))
    let (first, second) = (Sender(), Sender())
    source.attach(to: second, number: 2)
    source.attach(to: first, number: 1)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 10, alignment: 1)
    defer { buffer.deallocate() }
    guard case .wait = source.read(into: buffer) else {
      Issue.record("It was there at once.")
      return
    }
    #expect(await second.resumed.wait { $0 == 1 })
    #expect(first.resumed.value == 0)
  }
}
