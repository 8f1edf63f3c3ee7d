import Foundation
import Testing
import URLLoadingCBlockCache
import URLLoadingTestServers

@Suite struct BlockCacheTests {
  private static let sizes = [
    0, 1, 24, 25, 40, 41, 104, 1_016, 1_032, 1_033, 1_288, 1_289, 4_104, 4_105, 8_200, 8_201, 16_385, 16_393, 32_776,
    32_777, 65_537, 70_000, 524_289, 600_000,
  ]

  private func fill(_ block: UnsafeMutableRawPointer, _ count: Int, _ byte: UInt8) {
    block.initializeMemory(as: UInt8.self, repeating: byte, count: count)
  }

  private func holds(_ block: UnsafeMutableRawPointer, _ count: Int, _ byte: UInt8) -> Bool {
    UnsafeRawBufferPointer(start: block, count: count).allSatisfy { $0 == byte }
  }

  @Test func blocksDoNotOverlap() throws {
    var blocks: [(UnsafeMutableRawPointer, Int, UInt8)] = []
    for round in 0..<4 {
      for size in Self.sizes {
        let block = try #require(block_cache_malloc(size))
        #expect(Int(bitPattern: block) % 16 == 0)
        let byte = UInt8(truncatingIfNeeded: blocks.count)
        fill(block, size, byte)
        blocks.append((block, size, byte))
      }
      // Half of them go, and are taken again in the next round.
      for index in stride(from: blocks.count - 1, through: 0, by: -2) where round < 3 {
        let (block, size, byte) = blocks.remove(at: index)
        #expect(holds(block, size, byte))
        block_cache_free(block)
      }
    }
    for (block, size, byte) in blocks {
      #expect(holds(block, size, byte))
      block_cache_free(block)
    }
    block_cache_free(nil)
  }

  @Test func growsAndShrinks() throws {
    for first in Self.sizes {
      // What realloc does with 0 is each library's own affair (C17, section 7.22.3.5).
      for second in Self.sizes where second > 0 {
        let block = try #require(block_cache_malloc(first))
        fill(block, first, 7)
        let moved = try #require(block_cache_realloc(block, second))
        #expect(holds(moved, min(first, second), 7), "\(first) to \(second)")
        fill(moved, second, 9)
        block_cache_free(moved)
      }
    }
    let new = try #require(block_cache_realloc(nil, 10))
    block_cache_free(new)
  }

  @Test func clearsWhatWasUsed() throws {
    for size in Self.sizes {
      let used = try #require(block_cache_malloc(size))
      fill(used, size, 0xFF)
      block_cache_free(used)
      let clear = try #require(block_cache_calloc(1, size))
      #expect(holds(clear, size, 0))
      block_cache_free(clear)
    }
  }

  @Test(.disabled(if: Sanitizing.isOn, "the sanitizers end a program that asks for that much"))
  func impossibleSizes() {
    #expect(block_cache_malloc(.max) == nil)
    #expect(block_cache_calloc(.max, 2) == nil)
    let block = block_cache_malloc(100)
    #expect(block_cache_realloc(block, .max) == nil)
    block_cache_free(block)
  }

  @Test func copiesText() throws {
    let copy = try #require(block_cache_strdup("text"))
    #expect(String(cString: copy) == "text")
    block_cache_free(copy)
  }

  @Test func whatAThreadKeepsIsBounded() async {
    let kept = await onThread {
      let blocks = (0..<10_000).map { _ in block_cache_malloc(1_000) }
      for block in blocks { block_cache_free(block) }
      return block_cache_kept()
    }
    // Where 16 bytes would be left over, malloc makes a block larger by these, and that is of the next class.
    #expect((512...1_024).contains(kept))
  }

  @Test func whatAThreadKeepsOfAllSizesIsBounded() async {
    let kept = await onThread {
      let blocks = (1...64).flatMap { size in (0..<1_024).map { _ in block_cache_malloc(size * 16) } }
      for block in blocks { block_cache_free(block) }
      return block_cache_kept()
    }
    // Of 65,536 blocks, the small ones first: those of up to 360 bytes make 4 MiB.
    #expect((20_000...24_000).contains(kept))
  }

  @Test func takenBlocksMakeRoomForOthers() async {
    let (before, after) = await onThread {
      for _ in 0..<50_000 { block_cache_free(block_cache_malloc(1_000)) }
      let before = block_cache_kept()
      block_cache_free(block_cache_malloc(500))
      return (before, block_cache_kept())
    }
    #expect(after == before + 1)
  }

  @Test func smallBlocksLeaveRoomForBuffers() async {
    let (before, after) = await onThread {
      let blocks = (1...64).flatMap { size in (0..<1_024).map { _ in block_cache_malloc(size * 16) } }
      let buffers = (0..<64).map { _ in block_cache_malloc(65_537) }
      for block in blocks { block_cache_free(block) }
      let before = block_cache_kept()
      for buffer in buffers { block_cache_free(buffer) }
      return (before, block_cache_kept())
    }
    #expect(after == before + 64)
  }

  @Test(.disabled(if: Sanitizing.isOn, "the address sanitizer keeps freed memory for a while"))
  func aThreadsEndFreesWhatItKept() async {
    let before = ProcessMemory.residentBytes
    for _ in 0..<100 {
      let kept = await onThread {
        let blocks = [1_288, 1_544, 2_056, 2_568].flatMap { size in (0..<512).map { _ in block_cache_malloc(size) } }
        for block in blocks { block_cache_free(block) }
        return block_cache_kept()
      }
      #expect(kept > 2_000)
    }
    // They kept 380 MB, one after another. Other tests run meanwhile.
    #expect(ProcessMemory.residentBytes < before + 200 << 20)
  }

  @Test func blocksOfOneThreadAreFreedByAnother() async {
    for _ in 0..<20 {
      let addresses = await onThread {
        (0..<300).compactMap { block_cache_malloc($0 * 40).map { UInt(bitPattern: $0) } }
      }
      #expect(addresses.count == 300)
      let count = await onThread {
        for address in addresses { block_cache_free(UnsafeMutableRawPointer(bitPattern: address)) }
        return addresses.count
      }
      #expect(count == 300)
    }
  }

  private func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: body()) }
    }
  }
}
