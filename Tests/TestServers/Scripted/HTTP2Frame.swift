import Foundation

/// A frame of HTTP/2 (RFC 9113, section 4.1), right or wrong.
package struct HTTP2Frame: Sendable {
  /// Section 6.
  package enum Kind: UInt8, Sendable {
    case data, headers, priority, resetStream, settings, pushPromise, ping, goAway, windowUpdate, continuation
  }

  /// Its number; see `Kind`.
  package var type: UInt8
  package var flags: UInt8
  package var stream: UInt32
  package var payload: Data

  /// A frame with any payload, whether that fits its kind or not.
  package init(_ kind: Kind, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) {
    type = kind.rawValue
    self.flags = flags
    self.stream = stream
    self.payload = Data(payload)
  }

  init(type: UInt8, flags: UInt8, stream: UInt32, payload: Data) {
    self.type = type
    self.flags = flags
    self.stream = stream
    self.payload = payload
  }

  package static let endStream: UInt8 = 1
  package static let acknowledgement: UInt8 = 1
  package static let endHeaders: UInt8 = 4

  /// As it is sent.
  package var encoded: Data {
    Data(Self.bytes(UInt32(payload.count)).dropFirst() + [type, flags] + Self.bytes(stream)) + payload
  }

  /// The head of a response: a status, and fields, not compressed (RFC 7541, section 6.2.2).
  package static func head(
    stream: UInt32, status: Int = 200, _ fields: [(String, String)] = [], ends: Bool = false
  ) -> HTTP2Frame {
    let list = [(":status", String(status))] + fields
    return HTTP2Frame(.headers, flags: endHeaders | (ends ? endStream : 0), stream: stream, block(list))
  }

  /// Fields after the body, which they end.
  package static func trailers(stream: UInt32, _ fields: [(String, String)]) -> HTTP2Frame {
    HTTP2Frame(.headers, flags: endHeaders | endStream, stream: stream, block(fields))
  }

  /// Some of a body.
  package static func body(stream: UInt32, _ bytes: Data, ends: Bool = false) -> HTTP2Frame {
    HTTP2Frame(.data, flags: ends ? endStream : 0, stream: stream, [UInt8](bytes))
  }

  /// The server goes away, and has seen the streams up to `last`.
  package static func goAway(last: UInt32, error: UInt32 = 0) -> HTTP2Frame {
    HTTP2Frame(.goAway, bytes(last) + bytes(error))
  }

  /// The end of a stream before its time.
  package static func reset(stream: UInt32, error: UInt32) -> HTTP2Frame {
    HTTP2Frame(.resetStream, stream: stream, bytes(error))
  }

  private static func block(_ fields: [(String, String)]) -> [UInt8] {
    // Names and values here are shorter than 127 bytes, and so their lengths have one.
    fields.flatMap { name, value in [0, UInt8(name.utf8.count)] + name.utf8 + [UInt8(value.utf8.count)] + value.utf8 }
  }

  private static func bytes(_ number: UInt32) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }
  }
}

extension Connection {
  /// Sends frames, in one piece.
  package func send(_ frames: [HTTP2Frame]) throws {
    try send(frames.reduce(into: Data()) { $0 += $1.encoded })
  }

  /// Answers the client's preface (RFC 9113, section 3.4).
  package func beginHTTP2() throws {
    let preface = try readBody(count: 24)
    guard preface == Data("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) else {
      throw TestServerError("no preface of HTTP/2")
    }
    try send([HTTP2Frame(.settings)])
  }

  /// The next frame. Throws when the peer closed.
  package func readFrame() throws -> HTTP2Frame {
    let head = [UInt8](try readBody(count: 9))
    let count = head[0..<3].reduce(0) { $0 << 8 | Int($1) }
    let stream = head[5..<9].reduce(0) { $0 << 8 | UInt32($1) }
    return HTTP2Frame(type: head[3], flags: head[4], stream: stream, payload: try readBody(count: count))
  }

  /// Reads frames until a request is whole, and acknowledges settings meanwhile. Returns its stream.
  package func readHTTP2Request() throws -> UInt32 {
    while true {
      let frame = try readFrame()
      switch HTTP2Frame.Kind(rawValue: frame.type) {
      case .settings where frame.flags & HTTP2Frame.acknowledgement == 0:
        try send([HTTP2Frame(.settings, flags: HTTP2Frame.acknowledgement)])
      case .headers, .data:
        if frame.flags & HTTP2Frame.endStream != 0 { return frame.stream }
      default: break
      }
    }
  }
}
