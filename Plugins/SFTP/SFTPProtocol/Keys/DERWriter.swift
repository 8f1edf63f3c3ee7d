/// DER (X.690) of the ASN.1 types in private keys.
enum DERWriter {
  /// A number that is not negative, its highest byte first.
  static func integer(_ value: some Collection<UInt8>) -> [UInt8] {
    let digits = Array(value.drop { $0 == 0 })
    return element(0x02, digits.isEmpty || digits[0] & 0x80 != 0 ? [0] + digits : digits)
  }

  static func octets(_ value: [UInt8]) -> [UInt8] { element(0x04, value) }

  static func bits(_ value: [UInt8]) -> [UInt8] { element(0x03, [0] + value) }

  static func sequence(_ parts: [[UInt8]]) -> [UInt8] { element(0x30, parts.flatMap { $0 }) }

  static func tagged(_ number: UInt8, _ value: [UInt8]) -> [UInt8] { element(0xA0 | number, value) }

  private static func element(_ tag: UInt8, _ value: [UInt8]) -> [UInt8] {
    guard value.count > 127 else { return [tag, UInt8(value.count)] + value }
    var length: [UInt8] = []
    var rest = value.count
    while rest > 0 {
      length.insert(UInt8(rest & 0xFF), at: 0)
      rest >>= 8
    }
    return [tag, 0x80 | UInt8(length.count)] + length + value
  }
}
