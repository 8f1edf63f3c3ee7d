internal import URLLoadingBase

/// The sums of a stored body's blocks, by which each is checked before any of its bytes is given away.
///
/// A body has as many blocks as its length says, all but the last of ``blockLength`` bytes. A sum is the block's XXH64 (``XXHash64``).
struct BlockSums: Sendable {
  /// A block, by its number from 0 on.
  struct Block: Sendable {
    let number: Int
    /// Where in the body it is.
    let range: Range<Int64>
  }

  /// In bytes. A range of a body costs at most one such block more at each of its ends.
  static let blockLength = 256 << 10
  private static let sumLength = MemoryLayout<UInt64>.size

  /// The sums in turn, eight bytes each, the lowest first.
  let bytes: Data
  private let length: Int64

  /// Nil where the body has another number of blocks.
  init?(_ bytes: Data, length: Int64) {
    let blockLength = Int64(Self.blockLength)
    let count = length / blockLength + (length % blockLength == 0 ? 0 : 1)
    guard length >= 0, bytes.count % Self.sumLength == 0, Int64(bytes.count / Self.sumLength) == count else {
      return nil
    }
    self.bytes = bytes
    self.length = length
  }

  /// The block that has a byte of the body.
  func block(at position: Int64) -> Block {
    let blockLength = Int64(Self.blockLength)
    let start = position - position % blockLength
    return Block(number: Int(position / blockLength), range: start..<min(length, start + blockLength))
  }

  /// Whether these are the block's bytes.
  func match(_ contents: UnsafeRawBufferPointer, of block: Block) -> Bool {
    let sum = bytes.withUnsafeBytes {
      UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: block.number * Self.sumLength, as: UInt64.self))
    }
    return contents.count == block.range.count && XXHash64.hash(of: contents) == sum
  }
}
