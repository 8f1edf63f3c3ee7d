import Foundation
import Testing
import URLLoadingBase

@testable import URLLoading

@Suite struct AsyncBytesIteratorTests {
  @Test func allBytesOfAllChunks() async throws {
    let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
    for size in [1, 7, 64, 1000] {
      #expect(try await ChunkedBytes(bytes, size: size).collected() == bytes)
    }
    #expect(try await ChunkedBytes([], size: 1).collected().isEmpty)
  }

  @Test func emptyChunksAndSlices() async throws {
    let slice = Data("xxhixx".utf8)[2..<4]
    #expect(
      try await ChunkedBytes(chunks: [Data(), slice, Data(), Data(), Data("!".utf8)]).collected() == Array("hi!".utf8))
  }

  @Test func copiesReadTheirOwnChunk() async throws {
    var first = ChunkedBytes(chunks: [Data("ab".utf8), Data("cd".utf8)]).makeAsyncIterator()
    #expect(try await first.next() == UInt8(ascii: "a"))
    var second = first
    #expect(try await first.next() == UInt8(ascii: "b"))
    #expect(try await first.next() == UInt8(ascii: "c"))
    #expect(try await second.next() == UInt8(ascii: "b"))
  }

  @Test func nothingIsAskedAfterTheEnd() async throws {
    let calls = Locked(0)
    var iterator = AsyncBytesIterator {
      calls.withLock { $0 += 1 }
      return nil
    }
    for _ in 0..<3 { #expect(try await iterator.next() == nil) }
    #expect(calls.withLock { $0 } == 1)
  }

  @Test func anErrorIsTheEnd() async throws {
    var iterator = ChunkedBytes([1], size: 1, failure: .init()).makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    await #expect(throws: ChunkedBytes.ScriptedFailure()) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }
}
