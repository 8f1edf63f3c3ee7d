import Glibc

/// Gives libarchive its input, block by block, and keeps the error that ended it.
///
/// A read that fails breaks libarchive's reader. Therefore bytes can be fetched ahead, between its calls, where a failure costs
/// nothing.
///
/// Used by one thread at a time, the one that uses the ``LibarchiveHandle``.
final class LibarchiveFeed {
  /// The sizes of blocks, in bytes. Each sequential read doubles the size; a seek resets it to the smallest.
  struct BlockSizes {
    var smallest: Int
    var largest: Int

    /// For headers between bodies that are skipped.
    static let headers = BlockSizes(smallest: 4 << 10, largest: 32 << 10)
    static let directory = BlockSizes(smallest: 64 << 10, largest: 64 << 10)
    static let bodies = BlockSizes(smallest: 64 << 10, largest: 256 << 10)
  }

  private struct Chunk {
    let memory: UnsafeMutableRawBufferPointer
    var bytes: UnsafeRawBufferPointer
  }

  let origin: any FeedOrigin
  /// Where libarchive reads next.
  private(set) var position: Int64 = 0
  /// How many bytes were fetched.
  private(set) var fetchedCount: Int64 = 0
  /// What ended the last fetch.
  private(set) var failure: (any Error)?
  private let sizes: BlockSizes
  private var blockSize: Int
  /// What libarchive got last, and may use until its next read.
  private var lent: Chunk?
  /// Fetched bytes from `position` on.
  private var ahead: [Chunk] = []
  private var spare: [UnsafeMutableRawBufferPointer] = []

  init(_ origin: any FeedOrigin, blocks: BlockSizes) {
    self.origin = origin
    sizes = blocks
    blockSize = blocks.smallest
  }

  deinit {
    for chunk in ahead + [lent].compactMap({ $0 }) { chunk.memory.deallocate() }
    for memory in spare { memory.deallocate() }
  }

  /// The next block; empty at the end, nil when the origin failed.
  func nextBlock() -> UnsafeRawBufferPointer? {
    giveBack()
    return keepingFailure {
      guard let chunk = try ahead.isEmpty ? fetch(at: position) : ahead.removeFirst() else {
        return UnsafeRawBufferPointer(start: nil, count: 0)
      }
      lent = chunk
      position += Int64(chunk.bytes.count)
      return chunk.bytes
    }
  }

  /// Skips bytes.
  /// - Returns: how many; nil when the origin failed.
  func skip(_ count: Int64) -> Int64? {
    guard origin.isSeekable, count > 0, count <= .max - position else { return 0 }
    return keepingFailure {
      let count = try isLongSkipBehindEnd(count) ? max(origin.findLength() - position, 0) : count
      move(to: position + count)
      return count
    }
  }

  /// libarchive 3.6 does long skips in steps of a gibibyte, which for a made-up size could take hours.
  private func isLongSkipBehindEnd(_ count: Int64) throws -> Bool {
    guard count >= 1 << 30 else { return false }
    return try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) {
      try origin.fetch(into: $0, at: position + count - 1) == 0
    }
  }

  /// - Parameter whence: as of `lseek`.
  /// - Returns: the position; nil for an invalid one, or when the origin failed.
  func seek(_ offset: Int64, whence: Int32) -> Int64? {
    guard origin.isSeekable else { return nil }
    return keepingFailure {
      let base = try whence == SEEK_SET ? 0 : whence == SEEK_CUR ? position : origin.findLength()
      let (target, overflow) = base.addingReportingOverflow(offset)
      guard !overflow, target >= 0 else { return nil }
      move(to: target)
      return target
    }
  }

  private func keepingFailure<Result>(_ body: () throws -> Result?) -> Result? {
    do { return try body() } catch {
      failure = error
      return nil
    }
  }

  /// Fetches until `count` bytes, or all the rest, are in memory.
  func fetchAhead(_ count: Int) throws {
    var present = ahead.reduce(0) { $0 + $1.bytes.count }
    while present < count {
      guard let chunk = try fetch(at: position + Int64(present)) else { return }
      ahead.append(chunk)
      present += chunk.bytes.count
    }
  }

  private func move(to target: Int64) {
    var left = target - position
    position = target
    if left == 0 { return }
    while left > 0, let chunk = ahead.first {
      if Int64(chunk.bytes.count) > left {
        ahead[0].bytes = UnsafeRawBufferPointer(rebasing: chunk.bytes[Int(left)...])
        return
      }
      left -= Int64(chunk.bytes.count)
      spare.append(ahead.removeFirst().memory)
    }
    if left == 0 { return }
    spare += ahead.map(\.memory)
    ahead = []
    blockSize = sizes.smallest
  }

  private func giveBack() {
    if let lent { spare.append(lent.memory) }
    lent = nil
    while spare.count > 4 { spare.removeLast().deallocate() }
  }

  private func fetch(at position: Int64) throws -> Chunk? {
    let memory = spare.popLast() ?? .allocate(byteCount: sizes.largest, alignment: 16)
    var count = 0
    defer { if count == 0 { spare.append(memory) } }
    count = try origin.fetch(into: UnsafeMutableRawBufferPointer(rebasing: memory[..<blockSize]), at: position)
    blockSize = min(blockSize * 2, sizes.largest)
    fetchedCount += Int64(count)
    return count > 0 ? Chunk(memory: memory, bytes: UnsafeRawBufferPointer(rebasing: memory[..<count])) : nil
  }
}
