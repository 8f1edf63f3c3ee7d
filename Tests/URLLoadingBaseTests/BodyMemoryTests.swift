import Foundation
import Testing
import URLLoadingBase

@Suite struct BodyMemoryTests {
  @Test(arguments: [(1, 16_384), (16_384, 16_384), (16_385, 32_768), (100_000, 114_688), (1 << 20, 1 << 20)])
  func blocksAreLargeEnoughAndUsedAgain(count: Int, capacity: Int) throws {
    let memory = BodyMemory(maximumKeptBytes: 4 << 20)
    let block = try #require(memory.take(atLeast: count))
    #expect(block.capacity == capacity)
    block.start.initializeMemory(as: UInt8.self, repeating: 1, count: capacity)
    memory.recycle(block)
    #expect(memory.keptBytes == capacity)
    let again = try #require(memory.take(atLeast: count))
    #expect(again.start == block.start)
    #expect(memory.keptBytes == 0)
    memory.recycle(again)
  }

  @Test func whatIsKeptIsBounded() throws {
    let memory = BodyMemory(maximumKeptBytes: 100_000)
    let blocks = try (0..<10).map { _ in try #require(memory.take(atLeast: 30_000)) }
    for block in blocks { memory.recycle(block) }
    #expect(memory.keptBytes == 98_304)
  }
}
