/// The curves that SSH names (RFC 5656, section 10.1).
enum EllipticCurve: String {
  case nistp256
  case nistp384
  case nistp521

  init?(bits: Int) { self.init(rawValue: "nistp\(bits)") }

  /// Bytes of a coordinate.
  var fieldCount: Int {
    switch self {
    case .nistp256: 32
    case .nistp384: 48
    case .nistp521: 66
    }
  }

  /// The type of the curve's keys (RFC 5656, section 6.2).
  var keyType: String { "ecdsa-sha2-\(rawValue)" }

  /// The object identifier in ASN.1 (RFC 5480, section 2.1.1.1).
  var identifier: [UInt8] {
    switch self {
    case .nistp256: [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    case .nistp384: [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22]
    case .nistp521: [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x23]
    }
  }
}
