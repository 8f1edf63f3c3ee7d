/// A frame of zstd and lz4 that is skipped (RFC 8878, 3.1.2).
enum SkippableFrame {
  /// The format of the first frame after leading skippable ones; zstd where that is not among these bytes, because its tools
  /// write such frames first (pzstd always) and those of lz4 do not.
  static func filter(behind head: [UInt8]) -> CompressionFilter? {
    var position = 0
    while let length = length(head[position...]) {
      guard length <= head.count - position else { return .zstd }
      position += length
    }
    guard position > 0 else { return nil }
    let lz4: [[UInt8]] = [[0x04, 0x22, 0x4d, 0x18], [0x02, 0x21, 0x4c, 0x18]]
    return lz4.contains { head[position...].starts(with: $0) } ? .lz4 : .zstd
  }

  /// The length of a skippable frame with its header; nil where there is none.
  private static func length(_ bytes: ArraySlice<UInt8>) -> Int? {
    let head = Array(bytes.prefix(8))
    guard head.count == 8, head[0] & 0xf0 == 0x50, head[1...3].elementsEqual([0x2a, 0x4d, 0x18]) else { return nil }
    return 8 + Int(head[4...].littleEndian)
  }
}
