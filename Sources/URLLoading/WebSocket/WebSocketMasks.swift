internal import URLLoadingCLinux

/// Masks for the frames of a client: fresh for each, and not to be foreseen (RFC 6455, sections 5.3 and 10.3).
struct WebSocketMasks {
  private var pool: [UInt32] = []

  /// Asked from the system in batches: a call for each frame costs as much as the frame. 256 bytes come whole (getrandom(2)).
  private static let batch = 256 / MemoryLayout<UInt32>.size

  mutating func next() -> UInt32 {
    if pool.isEmpty {
      pool = Array(unsafeUninitializedCapacity: Self.batch) { masks, count in
        let length = getrandom(masks.baseAddress, Self.batch * MemoryLayout<UInt32>.size, 0)
        count = max(0, length) / MemoryLayout<UInt32>.size
      }
    }
    return pool.popLast() ?? .random(in: .min ... .max)
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
