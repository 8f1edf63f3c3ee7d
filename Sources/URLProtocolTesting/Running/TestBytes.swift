import URLLoading

/// Bytes that no two resources have in common, in which no piece of usual size can be lost, doubled or moved unseen.
enum TestBytes {
  /// A prime: pieces of whole powers of two never fall on the same bytes.
  private static let period = 65_537

  static func make(_ count: Int, seed: String) -> Data {
    // FNV-1a, then SplitMix64, a word at a time.
    var state = seed.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    let words = (0..<(min(count, period) + 7) / 8).map { _ in
      state &+= 0x9E37_79B9_7F4A_7C15
      var word = state
      word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
      word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
      return word ^ (word >> 31)
    }
    let block = words.withUnsafeBytes { Data($0.prefix(min(count, period))) }
    var bytes = Data(capacity: count)
    while bytes.count < count { bytes.append(block.prefix(count - bytes.count)) }
    return bytes
  }

  /// How a body differs from what it should be; nil if it does not.
  static func difference(_ body: Data, from bytes: Data) -> String? {
    if body == bytes { return nil }
    if body.count < bytes.count, bytes.starts(with: body) {
      return "only the first \(body.count) bytes of \(bytes.count) came"
    }
    if body.count > bytes.count, body.starts(with: bytes) {
      return "\(body.count - bytes.count) bytes too many came behind the \(bytes.count) right ones"
    }
    let position = zip(body, bytes).prefix { $0 == $1 }.count
    return "\(body.count) bytes came instead of \(bytes.count), and differ from byte \(position) on"
  }
}
