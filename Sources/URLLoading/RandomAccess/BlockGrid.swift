/// How a resource is divided into blocks: of one size, except for the last one, and for the first one where the grid is shifted to put
/// a boundary where the first answer begins.
struct BlockGrid: Sendable, Equatable {
  let length: Int64
  let blockSize: Int64
  /// The bytes in front of the first boundary; less than a block.
  let shift: Int64

  /// A grid with a boundary at `origin`.
  init(length: Int64, blockSize: Int, origin: Int64 = 0) {
    self.length = max(0, length)
    self.blockSize = Int64(max(1, blockSize))
    shift = max(0, origin) % self.blockSize
  }

  var count: Int { length == 0 ? 0 : block(at: length - 1) + 1 }

  func block(at position: Int64) -> Int {
    if position < shift { return 0 }
    return Int((position - shift) / blockSize) + (shift > 0 ? 1 : 0)
  }

  /// The blocks that cover some bytes, at least one.
  func blocks(covering bytes: Range<Int64>) -> Range<Int> {
    let first = block(at: bytes.lowerBound)
    return first..<max(first, block(at: bytes.upperBound - 1)) + 1
  }

  func bytes(of block: Int) -> Range<Int64> {
    if shift > 0, block == 0 { return 0..<min(shift, length) }
    let start = shift + Int64(block - (shift > 0 ? 1 : 0)) * blockSize
    // Without overflow of the sum.
    return start..<(length - start > blockSize ? start + blockSize : length)
  }

  /// The bytes of some blocks, at least one.
  func bytes(of blocks: Range<Int>) -> Range<Int64> {
    bytes(of: blocks.lowerBound).lowerBound..<bytes(of: blocks.upperBound - 1).upperBound
  }
}
