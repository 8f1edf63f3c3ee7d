import URLLoadingTestServers

/// Changes bytes at random, the same on every run.
struct FormatMutator {
  var generator: SeededGenerator

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
  }

  /// A changed copy.
  /// - Parameter other: bytes from which pieces may come.
  mutating func mutate(_ original: [UInt8], with other: [UInt8]) -> [UInt8] {
    var bytes = original
    for _ in 0...Int.random(in: 0..<4, using: &generator) where !bytes.isEmpty { change(&bytes, other) }
    return bytes
  }

  private mutating func change(_ bytes: inout [UInt8], _ other: [UInt8]) {
    let position = position(in: bytes)
    let length = min(Int.random(in: 1...64, using: &generator), bytes.count - position)
    switch Int.random(in: 0..<10, using: &generator) {
    case 0, 1, 2: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    case 3: bytes[position] = .random(in: 0...255, using: &generator)
    case 4:
      bytes.replaceSubrange(
        position..<(position + length),
        with: Array(repeating: [0, 0xff, 0x7f, 0x80, 0x39].randomElement(using: &generator) ?? 0, count: length))
    case 5: bytes.removeSubrange(position..<(position + length))
    case 6: bytes.insert(contentsOf: bytes[position..<(position + length)], at: position)
    case 7: bytes.removeLast(bytes.count - position)
    case 8:
      let start = other.isEmpty ? 0 : Int.random(in: 0..<other.count, using: &generator)
      let piece = other[start...].prefix(length)
      bytes.replaceSubrange(position..<(position + piece.count), with: piece)
    default:
      // A number of two, four or eight bytes becomes an extreme one.
      let width = min([2, 4, 8].randomElement(using: &generator) ?? 4, bytes.count - position)
      let value: UInt64 =
        [0, 1, .max, 1 << 31, 1 << 63, 0x7fff_ffff, UInt64(bytes.count)].randomElement(using: &generator) ?? 0
      for index in 0..<width { bytes[position + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index)) }
    }
  }

  /// Mostly near the ends, where headers are.
  private mutating func position(in bytes: [UInt8]) -> Int {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: Int.random(in: 0..<min(bytes.count, 600), using: &generator)
    case 1: bytes.count - 1 - Int.random(in: 0..<min(bytes.count, 200), using: &generator)
    default: Int.random(in: 0..<bytes.count, using: &generator)
    }
  }
}
