/// Masks for the frames of a client: fresh for each, and not to be foreseen (RFC 6455, sections 5.3 and 10.3).
struct WebSocketMasks {
  private var pool: [UInt32] = []

  /// Asked from the system in batches: a call for each frame costs as much as the frame.
  private static let batch = 64

  mutating func next() -> UInt32 {
    if pool.isEmpty {
      var generator = SystemRandomNumberGenerator()
      pool = (0..<Self.batch).map { _ in UInt32.random(in: .min ... .max, using: &generator) }
    }
    return pool.removeLast()
  }

  /// Masks a payload, or unmasks it.
  /// - Parameter mask: its first byte in memory is for the first of the payload.
  static func apply(_ mask: UInt32, to payload: UnsafeMutableRawBufferPointer) {
    let wide = UInt64(mask) << 32 | UInt64(mask)
    var index = 0
    while index + 8 <= payload.count {
      let word = payload.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ wide
      payload.storeBytes(of: word, toByteOffset: index, as: UInt64.self)
      index += 8
    }
    withUnsafeBytes(of: mask) { mask in
      while index < payload.count {
        payload[index] ^= mask[index & 3]
        index += 1
      }
    }
  }
}
