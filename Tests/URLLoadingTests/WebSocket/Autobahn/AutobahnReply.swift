import Foundation

@testable import URLLoading

/// What the suite's server gets from a client.
enum AutobahnReply: Equatable, CustomStringConvertible {
  case text(Data)
  case binary(Data)
  case ping(Data)
  case pong(Data)
  /// The code; nil for a close frame without one.
  case close(Int?)
  /// What no client may send.
  case wrong(String)

  static func text(_ text: String) -> AutobahnReply { .text(Data(text.utf8)) }
  static func pong(_ text: String) -> AutobahnReply { .pong(Data(text.utf8)) }

  var description: String {
    switch self {
    case .text(let payload): "text \(Self.short(payload))"
    case .binary(let payload): "binary \(Self.short(payload))"
    case .ping(let payload): "ping \(Self.short(payload))"
    case .pong(let payload): "pong \(Self.short(payload))"
    case .close(let code): "close \(code.map(String.init) ?? "without a code")"
    case .wrong(let words): words
    }
  }

  private static func short(_ payload: Data) -> String {
    payload.count > 40 ? "\(payload.prefix(40).hexadecimal)… of \(payload.count)" : payload.hexadecimal
  }
}

/// Reads the frames that a client has put out.
struct AutobahnReplyReader {
  /// nil where no compression was agreed on.
  let inflater: AutobahnInflater?
  /// How many messages came compressed.
  private(set) var compressedMessages = 0

  init(inflater: AutobahnInflater? = nil) {
    self.inflater = inflater
  }

  /// - Parameter output: whole frames.
  mutating func read(_ output: Data) -> [AutobahnReply] {
    var replies: [AutobahnReply] = []
    var rest = output[...]
    while let (reply, size) = next(in: rest) {
      replies.append(reply)
      rest = rest.dropFirst(size)
    }
    return rest.isEmpty ? replies : replies + [.wrong("\(rest.count) bytes of no frame")]
  }

  private mutating func next(in bytes: Data) -> (reply: AutobahnReply, size: Int)? {
    let head = [UInt8](bytes.prefix(14))
    // The client's messages are frames of their own, and masked.
    guard head.count >= 6, head[0] & 0xb0 == 0x80, head[1] & 0x80 != 0 else { return nil }
    let width = head[1] & 0x7f < 126 ? 0 : head[1] & 0x7f == 126 ? 2 : 8
    guard head.count >= 6 + width else { return nil }
    let length = width == 0 ? Int(head[1] & 0x7f) : head[2..<2 + width].reduce(0) { $0 << 8 | Int($1) }
    let start = 6 + width
    guard bytes.count >= start + length else { return nil }
    var payload = Data(bytes.dropFirst(start).prefix(length))
    let mask = head[start - 4..<start].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    payload.withUnsafeMutableBytes { WebSocketMasks.apply(mask.littleEndian, to: $0) }
    return (reply(head[0], payload), start + length)
  }

  private mutating func reply(_ first: UInt8, _ payload: Data) -> AutobahnReply {
    var payload = payload
    if first & 0x40 != 0 {
      guard first & 0x0f < 8, let message = inflater?.decompress(payload) else {
        return .wrong("RSV1 on a frame that cannot be decompressed")
      }
      compressedMessages += 1
      payload = message
    }
    switch first & 0x0f {
    case 1: return .text(payload)
    case 2: return .binary(payload)
    case 8: return .close(payload.count < 2 ? nil : payload.prefix(2).reduce(0) { $0 << 8 | Int($1) })
    case 9: return .ping(payload)
    case 10: return .pong(payload)
    default: return .wrong("the opcode \(first & 0x0f)")
    }
  }
}
