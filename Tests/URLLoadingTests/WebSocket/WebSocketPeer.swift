import Foundation
import URLLoadingTestServers

@testable import URLLoading

/// A server's side of a connection for tests: makes frames, right and wrong ones, and reads a client's.
enum WebSocketPeer {
  /// Reads a client's handshake and agrees to it, without compression.
  static func agree(_ connection: Connection) throws {
    let request = try connection.readRequest()
    let accept = WebSocketHandshake.accept(request?.fields["Sec-WebSocket-Key"] ?? "")
    let fields = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: \(accept)\r\n"
    try connection.send("HTTP/1.1 101 Switching Protocols\r\n\(fields)\r\n")
  }

  /// A frame's bytes.
  /// - Parameters:
  ///   - first: FIN, the reserved bits and the opcode.
  ///   - length: what the head says, where that is not the payload's length.
  ///   - width: the bytes of the length, 0, 2 or 8; nil for the fewest.
  static func frame(_ first: UInt8, _ payload: Data = Data(), length: Int? = nil, width: Int? = nil) -> Data {
    let length = length ?? payload.count
    var bytes = Data([first])
    switch width ?? (length < 126 ? 0 : length < 65_536 ? 2 : 8) {
    case 0: bytes.append(UInt8(length))
    case 2:
      bytes.append(126)
      withUnsafeBytes(of: UInt16(length).bigEndian) { bytes.append(contentsOf: $0) }
    default:
      bytes.append(127)
      withUnsafeBytes(of: UInt64(length).bigEndian) { bytes.append(contentsOf: $0) }
    }
    return bytes + payload
  }

  static func text(_ text: String) -> Data { frame(0x81, Data(text.utf8)) }

  static func close(_ code: UInt16, _ reason: Data = Data()) -> Data {
    frame(0x88, Data([UInt8(code >> 8), UInt8(code & 0xff)]) + reason)
  }

  /// The frames that a client has put out, one description each: `text hello`, `close 1002`, `pong 61`.
  static func frames(in output: Data) -> [String] {
    var rest = Array(output)
    var frames: [String] = []
    while rest.count >= 6 {
      guard rest[0] & 0x80 != 0, rest[1] & 0x80 != 0 else { return frames + ["not masked, or not whole"] }
      let (first, short) = (rest[0], Int(rest[1] & 0x7f))
      rest.removeFirst(2)
      var length = short
      if short > 125 {
        let width = short == 126 ? 2 : 8
        length = rest.prefix(width).reduce(0) { $0 << 8 | Int($1) }
        rest.removeFirst(width)
      }
      let mask = Array(rest.prefix(4))
      let payload = rest.dropFirst(4).prefix(length).enumerated().map { $1 ^ mask[$0 & 3] }
      rest.removeFirst(min(rest.count, 4 + length))
      frames.append(describe(first, payload))
    }
    return rest.isEmpty ? frames : frames + ["\(rest.count) bytes of no frame"]
  }

  private static func describe(_ first: UInt8, _ payload: [UInt8]) -> String {
    let compressed = first & 0x40 != 0 ? " compressed" : ""
    switch first & 0x0f {
    case 1 where compressed.isEmpty: return "text \(String(decoding: payload, as: UTF8.self))"
    case 1, 2: return (first & 0x0f == 1 ? "text" : "binary") + compressed + " \(Data(payload).hexadecimal)"
    case 8:
      guard payload.count >= 2 else { return "close" }
      let reason = String(decoding: payload.dropFirst(2), as: UTF8.self)
      return "close \(Int(payload[0]) << 8 | Int(payload[1]))" + (reason.isEmpty ? "" : " \(reason)")
    case 9: return "ping"
    default: return "pong \(Data(payload).hexadecimal)"
    }
  }
}

/// What a machine makes of bytes, as text: events and the frames that it puts out.
struct WebSocketOutcome: Equatable, CustomStringConvertible {
  var events: [String] = []
  var frames: [String] = []

  var description: String { "events \(events), frames \(frames)" }

  /// - Parameter step: how many bytes come at a time.
  init(of bytes: Data, in machine: WebSocketMachine, step: Int = .max) {
    var machine = machine
    var output = Data()
    var rest = bytes[...]
    repeat {
      let piece = rest.prefix(step)
      rest = rest.dropFirst(piece.count)
      piece.withUnsafeBytes { machine.receive($0) }
      while let event = machine.nextEvent() { events.append(Self.describe(event)) }
      while let more = machine.takeOutput() { output.append(more) }
    } while !rest.isEmpty
    frames = WebSocketPeer.frames(in: output)
  }

  private static func describe(_ event: WebSocketMachine.Event) -> String {
    switch event {
    case .message(.string(let text)): "text \(text)"
    case .message(.data(let data)): "data \(data.count <= 32 ? data.hexadecimal : "of \(data.count)")"
    case .pong(let payload): "pong \(payload.hexadecimal)"
    case .closed(let code, let reason):
      "closed \(code)" + (reason.map { " \(String(decoding: $0, as: UTF8.self))" } ?? "")
    case .failed(let fault): "failed \(fault.code)"
    }
  }
}
