/// Writes fields in SSH's encoding (RFC 4251, section 5).
struct SSHFieldWriter {
  private(set) var bytes: [UInt8] = []

  mutating func byte(_ value: UInt8) { bytes.append(value) }

  mutating func uint32(_ value: UInt32) {
    for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
  }

  /// A length and the bytes.
  mutating func string(_ value: some Collection<UInt8>) {
    uint32(UInt32(clamping: value.count))
    bytes.append(contentsOf: value)
  }

  mutating func string(_ value: String) { string(value.utf8) }

  /// A number that is not negative, its highest byte first.
  mutating func number(_ value: some Collection<UInt8>) {
    let digits = value.drop { $0 == 0 }
    guard let first = digits.first else { return uint32(0) }
    string(first & 0x80 == 0 ? Array(digits) : [0] + digits)
  }
}
