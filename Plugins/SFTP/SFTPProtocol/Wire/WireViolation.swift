/// A violation of SFTP version 3 by a server, after which the connection cannot be used: packets or replies may be out of step.
enum WireViolation: Error, Hashable, Sendable {
  case packetTooLong(UInt32)
  case packetTooShort(UInt32)
  case truncated
  case trailingBytes(Int)
  case invalidField(String)
  case unexpectedPacket(UInt8)
  case unsupportedVersion(UInt32)
  case unknownIdentifier(UInt32)
  case wrongReply(to: PacketType, got: PacketType)
  case tooMuchData(asked: UInt32, got: Int)
}

extension WireViolation: CustomStringConvertible {
  var description: String {
    switch self {
    case .packetTooLong(let length):
      "it announced a packet of \(length) bytes, where \(PacketAssembler.largestPacket) is the most that is accepted"
        // Output of a login script comes first, and is read as a length.
        + (Self.text(of: length).map {
          " (these bytes are the text \"\($0)\": does the server's login script print something?)"
        }
          ?? "")
    case .packetTooShort(let length): "it sent a packet of \(length) bytes, which is too short for any answer"
    case .truncated: "it sent a packet whose fields reach beyond its end"
    case .trailingBytes(let count): "it sent a packet with \(count) bytes too many"
    case .invalidField(let text): "it sent \(text)"
    case .unexpectedPacket(let type): "it sent a packet of type \(type), which has no place there"
    case .unsupportedVersion(let version): "it speaks version \(version) of SFTP, and only version 3 is understood"
    case .unknownIdentifier(let identifier): "it answered request \(identifier), which was not asked"
    case .wrongReply(let request, let reply): "it answered \"\(request)\" with \"\(reply)\""
    case .tooMuchData(let asked, let got): "it sent \(got) bytes where \(asked) were asked for"
    }
  }

  private static func text(of length: UInt32) -> String? {
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * UInt32($0))) }
    return bytes.allSatisfy { (0x20..<0x7F).contains($0) } ? String(decoding: bytes, as: UTF8.self) : nil
  }
}
