import URLLoadingTestServers

/// Puts errors into bytes; the same seed puts the same ones.
struct Mutator {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// Numbers at which code goes wrong.
  private static let borders: [UInt8] = [0, 1, 0x7F, 0x80, 0xFE, 0xFF]

  mutating func mutate(_ original: [UInt8]) -> [UInt8] {
    var bytes = original
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      guard !bytes.isEmpty else { break }
      // The end of an archive is where most of what counts is.
      let start = Bool.random(using: &generator) ? max(bytes.count - 200, 0) : 0
      let position = Int.random(in: start..<bytes.count, using: &generator)
      switch Int.random(in: 0..<10, using: &generator) {
      case 0...3: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 4: bytes[position] = UInt8.random(in: 0...255, using: &generator)
      case 5, 6:
        let border = Self.borders.randomElement(using: &generator) ?? 0
        for index in position..<min(position + [1, 2, 4, 8][Int.random(in: 0..<4, using: &generator)], bytes.count) {
          bytes[index] = border
        }
      case 7: bytes.removeSubrange(position..<min(position + Int.random(in: 1...40, using: &generator), bytes.count))
      case 8:
        let from = Int.random(in: 0..<bytes.count, using: &generator)
        let piece = bytes[from..<min(from + Int.random(in: 1...120, using: &generator), bytes.count)]
        bytes.insert(contentsOf: Array(piece), at: position)
      default: bytes.removeSubrange(position...)
      }
    }
    return bytes
  }
}
