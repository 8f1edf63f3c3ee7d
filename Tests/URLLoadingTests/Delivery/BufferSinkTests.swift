import Foundation
import Testing
import URLLoadingBase
import URLLoadingTestServers

@testable import URLLoading

@Suite struct BufferSinkTests {
  private func write(_ data: Data, to sink: BufferSink) throws {
    let isHeld = try data.withUnsafeBytes { try sink.write($0) }
    #expect(!isHeld)
  }

  @Test(arguments: [0, 1, 4095, 4096, 4097, 100_000, 1_000_000])
  func collects(count: Int) throws {
    var generator = SeededGenerator(seed: UInt64(count))
    let all = generator.bytes(count)
    for announced in [Int64(-1), 0, Int64(count), Int64(count / 2), Int64(count) * 3, .max] {
      let sink = BufferSink()
      sink.begin(expectedLength: announced)
      var rest = all[...]
      while !rest.isEmpty {
        let piece = rest.prefix(Int.random(in: 1...70_000, using: &generator))
        try write(Data(piece), to: sink)
        rest = rest.dropFirst(piece.count)
      }
      #expect(difference(sink.take(), from: all) == nil)
      #expect(sink.take().isEmpty)
    }
  }

  /// A body that comes whole is kept as it is; what comes after it, though nobody announced that, is not lost.
  @Test(arguments: [true, false])
  func keepsAWholeBody(isAll: Bool) throws {
    var generator = SeededGenerator(seed: 1)
    let all = generator.bytes(10_000)
    let sink = BufferSink()
    sink.begin(expectedLength: 10_000)
    #expect(try !sink.write(all))
    if !isAll { #expect(try !sink.write(Data("more".utf8))) }
    let taken = sink.take()
    #expect(taken == (isAll ? all : all + Data("more".utf8)))
    let isSame = taken.withUnsafeBytes { taken in all.withUnsafeBytes { taken.baseAddress == $0.baseAddress } }
    #expect(isSame == isAll)
    #expect(sink.take().isEmpty)
  }

  @Test func emptyWrites() throws {
    let sink = BufferSink()
    try write(Data(), to: sink)
    #expect(try !sink.write(UnsafeRawBufferPointer(start: nil, count: 0)))
    #expect(sink.take().isEmpty)
  }

  @Test func beginsAgainWithoutLosingBytes() throws {
    let sink = BufferSink()
    sink.begin(expectedLength: 10)
    try write(Data("first".utf8), to: sink)
    sink.begin(expectedLength: 100_000)
    sink.begin(expectedLength: 1)
    try write(Data(" second".utf8), to: sink)
    #expect(sink.take() == Data("first second".utf8))
  }

  @Test func canBeUsedAfterTaking() throws {
    let sink = BufferSink()
    try write(Data(repeating: 1, count: 10_000), to: sink)
    _ = sink.take()
    try write(Data("again".utf8), to: sink)
    #expect(sink.take() == Data("again".utf8))
  }

  @Test func aBodyGivesItsMemoryBack() throws {
    let memory = BodyMemory.shared
    func body() throws -> Data {
      let sink = BufferSink()
      sink.begin(expectedLength: 900_001)
      _ = try Data(repeating: 5, count: 900_001).withUnsafeBytes { try sink.write($0) }
      return sink.take()
    }
    var data = try body()
    #expect(data.count == 900_001)
    // A change of what the owner has is the owner's alone.
    let copy = data
    data.append(6)
    data[0] = 9
    #expect(copy.allSatisfy { $0 == 5 } && data.last == 6 && data.count == 900_002)
    #expect(memory.keptBytes <= 8 << 20)
  }
}
