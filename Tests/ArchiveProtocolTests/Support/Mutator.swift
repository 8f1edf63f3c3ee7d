/// Puts errors into bytes; the same seed puts the same ones (SplitMix64).
struct Mutator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x2545_F491_4F6C_DD1D &+ 1 }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// Numbers at which code goes wrong.
  private static let borders: [UInt8] = [0, 1, 0x7F, 0x80, 0xFE, 0xFF]

  mutating func mutate(_ original: [UInt8]) -> [UInt8] {
    var bytes = original
    for _ in 0..<Int.random(in: 1...4, using: &self) {
      guard !bytes.isEmpty else { break }
      // The end of an archive is where most of what counts is.
      let start = Bool.random(using: &self) ? max(bytes.count - 200, 0) : 0
      let position = Int.random(in: start..<bytes.count, using: &self)
      switch Int.random(in: 0..<10, using: &self) {
      case 0...3: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &self)
      case 4: bytes[position] = UInt8.random(in: 0...255, using: &self)
      case 5, 6:
        let border = Self.borders.randomElement(using: &self) ?? 0
        for index in position..<min(position + [1, 2, 4, 8][Int.random(in: 0..<4, using: &self)], bytes.count) {
          bytes[index] = border
        }
      case 7: bytes.removeSubrange(position..<min(position + Int.random(in: 1...40, using: &self), bytes.count))
      case 8:
        let from = Int.random(in: 0..<bytes.count, using: &self)
        let piece = bytes[from..<min(from + Int.random(in: 1...120, using: &self), bytes.count)]
        bytes.insert(contentsOf: Array(piece), at: position)
      default: bytes.removeSubrange(position...)
      }
    }
    return bytes
  }
}
