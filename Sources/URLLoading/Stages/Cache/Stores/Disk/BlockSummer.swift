internal import URLLoadingBase

/// Sums up a body, block by block, as its pieces come.
struct BlockSummer: Sendable {
  private var length: Int64 = 0
  /// The sums of the blocks that are full.
  private var bytes = Data()
  private var hash = XXHash64()

  /// Takes the next bytes.
  mutating func update(_ piece: UnsafeRawBufferPointer) {
    var piece = piece[...]
    while !piece.isEmpty {
      let filled = Int(length % Int64(BlockSums.blockLength))
      let taken = piece.prefix(BlockSums.blockLength - filled)
      hash.update(UnsafeRawBufferPointer(rebasing: taken))
      length += Int64(taken.count)
      piece = piece.dropFirst(taken.count)
      guard filled + taken.count == BlockSums.blockLength else { return }
      Self.append(hash, to: &bytes)
      hash = XXHash64()
    }
  }

  /// The sums of the body, which is whole.
  var sums: BlockSums? {
    var bytes = bytes
    if length % Int64(BlockSums.blockLength) != 0 { Self.append(hash, to: &bytes) }
    return BlockSums(bytes, length: length)
  }

  private static func append(_ hash: XXHash64, to bytes: inout Data) {
    withUnsafeBytes(of: hash.value.littleEndian) { bytes.append(contentsOf: $0) }
  }
}
