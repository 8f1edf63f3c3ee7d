/// The head of a frame from a server (RFC 6455, section 5.2).
struct WebSocketFrameHeader: Equatable {
  enum Opcode: UInt8 {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    var isControl: Bool { rawValue >= 8 }
  }

  let opcode: Opcode
  let isFinal: Bool
  /// The message that it begins is compressed: RSV1 (RFC 7692, section 6).
  var isCompressed = false
  let length: Int

  /// The largest payload of a control frame, in bytes (section 5.5).
  static let largestControlPayload = 125

  /// Reads a head.
  /// - Parameter allowsCompression: permessage-deflate was agreed on.
  /// - Returns: it, and how many bytes it takes; nil where more are needed.
  static func parse(
    _ bytes: UnsafeRawBufferPointer, allowsCompression: Bool
  ) throws(WebSocketFault) -> (header: WebSocketFrameHeader, size: Int)? {
    guard bytes.count >= 2 else { return nil }
    let isCompressed = bytes[0] & 0x40 != 0
    guard bytes[0] & 0x30 == 0, allowsCompression || !isCompressed else {
      throw WebSocketFault(1002, "set a reserved bit that no extension was agreed for (RFC 6455, section 5.2)")
    }
    guard let opcode = Opcode(rawValue: bytes[0] & 0x0f) else {
      throw WebSocketFault(1002, "sent a frame with the reserved opcode \(bytes[0] & 0x0f) (RFC 6455, section 5.2)")
    }
    guard bytes[1] & 0x80 == 0 else {
      throw WebSocketFault(1002, "masked a frame, which servers must not (RFC 6455, section 5.1)")
    }
    let isFinal = bytes[0] & 0x80 != 0
    let short = Int(bytes[1] & 0x7f)
    if opcode.isControl {
      guard !isCompressed else {
        throw WebSocketFault(1002, "set RSV1 on a control frame (RFC 7692, section 6.1)")
      }
      guard isFinal else { throw WebSocketFault(1002, "fragmented a control frame (RFC 6455, section 5.5)") }
      guard short <= largestControlPayload else {
        throw WebSocketFault(1002, "sent a control frame of more than 125 bytes (RFC 6455, section 5.5)")
      }
    }
    func header(_ length: Int) -> WebSocketFrameHeader {
      WebSocketFrameHeader(opcode: opcode, isFinal: isFinal, isCompressed: isCompressed, length: length)
    }
    guard short > 125 else { return (header(short), 2) }
    let width = short == 126 ? 2 : 8
    guard bytes.count >= 2 + width else { return nil }
    let length = bytes[2..<2 + width].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard length <= UInt64(Int64.max) else {
      throw WebSocketFault(1002, "announced a length whose highest bit is set (RFC 6455, section 5.2)")
    }
    guard length >= (width == 2 ? 126 : 65_536) else {
      throw WebSocketFault(1002, "wrote a length in more bytes than it needs (RFC 6455, section 5.2)")
    }
    return (header(Int(length)), 2 + width)
  }
}
