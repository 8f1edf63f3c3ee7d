/// Writes values one after another, texts and bytes with their length before them, numbers in eight bytes, little end first.
struct ArchiveWriter {
  private var bytes: [UInt8] = []

  init() { bytes.reserveCapacity(1024) }

  var data: Data { Data(bytes) }

  mutating func byte(_ value: UInt8) { bytes.append(value) }

  mutating func number(_ value: UInt64) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func text(_ value: String) {
    number(UInt64(value.utf8.count))
    bytes.append(contentsOf: value.utf8)
  }

  mutating func bytes(_ value: Data) {
    number(UInt64(value.count))
    bytes.append(contentsOf: value)
  }
}
