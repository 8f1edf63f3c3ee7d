import Foundation
import Testing

@testable import URLLoading

/// The rules of RFC 6455, each under the section that has it: what a scripted server sends, and what becomes of it, in one piece and byte
/// by byte.
@Suite struct WebSocketMachineTests {
  struct Rule: CustomTestStringConvertible {
    let testDescription: String
    let bytes: Data
    var events: [String] = []
    var frames: [String] = []

    /// What keeps the rule.
    init(_ name: String, _ bytes: Data, _ events: [String], frames: [String] = []) {
      testDescription = name
      self.bytes = bytes
      self.events = events
      self.frames = frames
    }

    /// What breaks the rule.
    init(_ name: String, _ bytes: Data, fails code: Int, after events: [String] = []) {
      self.init(name, bytes, events + ["failed \(code)"], frames: ["close \(code)"])
    }
  }

  private static func frame(_ first: UInt8, _ payload: String = "") -> Data {
    WebSocketPeer.frame(first, Data(payload.utf8))
  }

  static let reserved: [Rule] =
    (1...7).map { (bits: UInt8) -> Rule in
      Rule("5.2 RSV bits \(bits)", frame(0x81 | bits << 4, "a"), fails: 1002)
    }
    + [3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map { (opcode: UInt8) -> Rule in
      Rule("5.2 opcode \(opcode)", frame(0x80 | opcode, "a"), fails: 1002)
    }

  static let framing: [Rule] = [
    Rule("5.1 a server masks", Data([0x81, 0x81, 1, 2, 3, 4, 0x60]), fails: 1002),
    Rule("5.2 a length in 16 bits that fits 7", WebSocketPeer.frame(0x82, Data(count: 125), width: 2), fails: 1002),
    Rule("5.2 a length in 64 bits that fits 16", WebSocketPeer.frame(0x82, Data(count: 65_535), width: 8), fails: 1002),
    Rule(
      "5.2 a length with its highest bit set", Data([0x82, 127, 0x80] + [UInt8](repeating: 0, count: 7)), fails: 1002),
    Rule("5.2 125 bytes", WebSocketPeer.frame(0x82, Data(count: 125)), ["data of 125"]),
    Rule("5.2 126 bytes", WebSocketPeer.frame(0x82, Data(count: 126)), ["data of 126"]),
    Rule("5.2 65,535 bytes", WebSocketPeer.frame(0x82, Data(count: 65_535)), ["data of 65535"]),
    Rule("5.2 65,536 bytes", WebSocketPeer.frame(0x82, Data(count: 65_536)), ["data of 65536"]),
    Rule("5.6 an empty text", frame(0x81), ["text "]),
    Rule("5.6 an empty binary message", frame(0x82), ["data "]),
  ]

  static let fragments: [Rule] = [
    Rule("5.4 three frames", frame(0x01, "a") + frame(0x00, "b") + frame(0x80, "c"), ["text abc"]),
    Rule("5.4 empty frames", frame(0x01) + frame(0x00) + frame(0x80), ["text "]),
    Rule(
      "5.4 control frames in between", frame(0x01, "a") + frame(0x89, "p") + frame(0x80, "b"), ["text ab"],
      frames: ["pong 70"]),
    Rule("5.4 a continuation of nothing", frame(0x80, "a"), fails: 1002),
    Rule("5.4 a continuation after the end", frame(0x81, "a") + frame(0x00, "b"), fails: 1002, after: ["text a"]),
    Rule("5.4 a message within another", frame(0x01, "a") + frame(0x81, "b"), fails: 1002),
    Rule("5.4 another kind of message within", frame(0x01, "a") + frame(0x02, "b"), fails: 1002),
  ]

  static let control: [Rule] = [
    Rule("5.5 a ping in fragments", frame(0x09, "a") + frame(0x80, "b"), fails: 1002),
    Rule("5.5 a pong in fragments", frame(0x0a, "a"), fails: 1002),
    Rule("5.5 a close frame in fragments", frame(0x08), fails: 1002),
    Rule(
      "5.5 a ping of 125 bytes", WebSocketPeer.frame(0x89, Data(repeating: 0x61, count: 125)), [],
      frames: ["pong " + String(repeating: "61", count: 125)]),
    Rule("5.5 a ping of 126 bytes", WebSocketPeer.frame(0x89, Data(count: 126)), fails: 1002),
    Rule("5.5 a close frame of 126 bytes", WebSocketPeer.close(1000, Data(repeating: 0x61, count: 124)), fails: 1002),
    Rule("5.5.2 pings are answered in order", frame(0x89, "1") + frame(0x89, "2"), [], frames: ["pong 31", "pong 32"]),
    Rule("5.5.2 an empty ping", frame(0x89), [], frames: ["pong "]),
    Rule("5.5.3 a pong that nobody asked for", frame(0x8a, "x") + frame(0x81, "a"), ["pong 78", "text a"]),
  ]

  static let closeCodes: [Rule] =
    [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999].map {
      (code: UInt16) -> Rule in
      Rule("7.4 the code \(code)", WebSocketPeer.close(code), ["closed \(code)"], frames: ["close \(code)"])
    }
    + [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535].map { (code: UInt16) -> Rule in
      Rule("7.4 the code \(code), which no frame has", WebSocketPeer.close(code), fails: 1002)
    }

  static let closing: [Rule] = [
    Rule("5.5.1 without a code", frame(0x88), ["closed 1005"], frames: ["close"]),
    Rule("5.5.1 one byte", frame(0x88, "a"), fails: 1002),
    Rule(
      "5.5.1 a reason", WebSocketPeer.close(1000, Data("tschüß".utf8)), ["closed 1000 tschüß"], frames: ["close 1000"]
    ),
    Rule(
      "5.5.1 a reason of 123 bytes", WebSocketPeer.close(1000, Data(repeating: 0x61, count: 123)),
      ["closed 1000 " + String(repeating: "a", count: 123)], frames: ["close 1000"]),
    Rule("5.5.1 a reason that is not UTF-8", WebSocketPeer.close(1000, Data([0xff])), fails: 1007),
    Rule(
      "5.5.1 nothing counts after it", WebSocketPeer.close(1000) + frame(0x81, "a") + frame(0x89), ["closed 1000"],
      frames: ["close 1000"]),
    Rule(
      "7.1.7 nothing counts after a fault", frame(0x83) + frame(0x81, "a") + WebSocketPeer.close(1000), fails: 1002),
  ]

  private static func fragmented(_ pieces: [UInt8]...) -> Data {
    pieces.enumerated().reduce(into: Data()) { bytes, piece in
      let first: UInt8 = (piece.offset == 0 ? 0x01 : 0x00) | (piece.offset == pieces.count - 1 ? 0x80 : 0x00)
      bytes.append(WebSocketPeer.frame(first, Data(piece.element)))
    }
  }

  static let encoding: [Rule] = [
    Rule("8.1 a character across frames", fragmented([0xe2, 0x82], [0xac]), ["text €"]),
    Rule(
      "8.1 the lowest and highest characters",
      fragmented(Array("\u{0}\u{7f}\u{80}\u{7ff}\u{800}\u{d7ff}\u{e000}\u{ffff}\u{10000}\u{10ffff}".utf8)),
      ["text \u{0}\u{7f}\u{80}\u{7ff}\u{800}\u{d7ff}\u{e000}\u{ffff}\u{10000}\u{10ffff}"]),
    Rule("8.1 a byte that begins nothing", fragmented([0x80]), fails: 1007),
    Rule("8.1 an overlong slash", fragmented([0xc0, 0xaf]), fails: 1007),
    Rule("8.1 an overlong form of three bytes", fragmented([0xe0, 0x9f, 0xbf]), fails: 1007),
    Rule("8.1 an overlong form of four bytes", fragmented([0xf0, 0x8f, 0xbf, 0xbf]), fails: 1007),
    Rule("8.1 a surrogate", fragmented([0xed, 0xa0, 0x80]), fails: 1007),
    Rule("8.1 above U+10FFFF", fragmented([0xf4, 0x90, 0x80, 0x80]), fails: 1007),
    Rule("8.1 a form of five bytes", fragmented([0xf8, 0x88, 0x80, 0x80, 0x80]), fails: 1007),
    Rule("8.1 cut off at the end", fragmented([0x61, 0xe2, 0x82]), fails: 1007),
    Rule("8.1 wrong in the second frame", fragmented([0xe2, 0x82], [0x28]), fails: 1007),
    Rule(
      "8.1 noticed before the message ends",
      WebSocketPeer.frame(0x01, Data([0xf4])) + WebSocketPeer.frame(0x00, Data([0x90])), fails: 1007),
    Rule("8.1 noticed before the frame ends", Data([0x81, 10, 0x61, 0xff]), fails: 1007),
    Rule("8.1 binary messages are anything", WebSocketPeer.frame(0x82, Data([0xff, 0xc0])), ["data ffc0"]),
  ]

  @Test(arguments: [reserved, framing, fragments, control, closeCodes, closing, encoding].flatMap { $0 }) func rule(
    _ rule: Rule
  ) {
    let machine = WebSocketMachine(maximumMessageSize: 1 << 20)
    let whole = WebSocketOutcome(of: rule.bytes, in: machine)
    #expect(whole.events == rule.events)
    #expect(whole.frames == rule.frames)
    #expect(WebSocketOutcome(of: rule.bytes, in: machine, step: 1) == whole)
    #expect(WebSocketOutcome(of: rule.bytes, in: machine, step: 3) == whole)
  }

  // MARK: Limits

  /// Section 10.4: sizes are limited, of frames and of what fragments come to.
  @Test func tooLongMessages() {
    let machine = WebSocketMachine(maximumMessageSize: 10)
    let fits = WebSocketPeer.frame(0x02, Data(count: 5)) + WebSocketPeer.frame(0x80, Data(count: 5))
    #expect(WebSocketOutcome(of: fits, in: machine).events == ["data 00000000000000000000"])
    // The head is enough.
    let frame = WebSocketPeer.frame(0x82, length: 11)
    #expect(WebSocketOutcome(of: frame, in: machine).events == ["failed 1009"])
    let fragments = WebSocketPeer.frame(0x02, Data(count: 5)) + WebSocketPeer.frame(0x00, length: 6)
    #expect(WebSocketOutcome(of: fragments, in: machine).events == ["failed 1009"])
    let huge = WebSocketPeer.frame(0x82, length: .max, width: 8)
    #expect(WebSocketOutcome(of: huge, in: machine).events == ["failed 1009"])
    let unlimited = WebSocketMachine(maximumMessageSize: .max)
    #expect(WebSocketOutcome(of: huge, in: unlimited).events == [])
    let overflow = WebSocketPeer.frame(0x02, Data(count: 1)) + WebSocketPeer.frame(0x80, length: .max, width: 8)
    #expect(WebSocketOutcome(of: overflow, in: unlimited).events == ["failed 1009"])
  }

  /// A peer that pings and does not read gets no more answers than fit.
  @Test func aFloodOfPings() {
    var machine = WebSocketMachine(maximumMessageSize: 10)
    let ping = WebSocketPeer.frame(0x89, Data(count: 125))
    for _ in 0..<10_000 {
      ping.withUnsafeBytes { machine.receive($0) }
      #expect(machine.nextEvent() == nil)
    }
    #expect(machine.producedBytes < 70_000)
  }

  // MARK: What is sent

  @Test func whatIsSent() {
    var machine = WebSocketMachine(maximumMessageSize: 10)
    machine.send(.string("hällo"))
    machine.send(.data(Data([1, 2, 3])))
    machine.send(.string(""))
    machine.ping(Data(count: 200))
    machine.close(1000, reason: Data("bye".utf8))
    machine.send(.string("later"))
    machine.close(1001, reason: nil)
    let output = machine.takeOutput() ?? Data()
    #expect(machine.producedBytes == UInt64(output.count))
    #expect(WebSocketPeer.frames(in: output) == ["text hällo", "binary 010203", "text ", "ping", "close 1000 bye"])
    #expect(machine.takeOutput() == nil)
  }

  /// Section 5.3: each frame has a mask of its own.
  @Test func masksDiffer() {
    var machine = WebSocketMachine(maximumMessageSize: 10)
    var masks: Set<Data> = []
    for _ in 0..<1_000 {
      machine.send(.data(Data()))
      masks.insert(machine.takeOutput()?.suffix(4) ?? Data())
    }
    #expect(masks.count > 990)
  }

  @Test func sentLengths() {
    for length in [0, 1, 7, 8, 9, 125, 126, 127, 65_535, 65_536, 70_001] {
      var machine = WebSocketMachine(maximumMessageSize: 10)
      let payload = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 13) })
      machine.send(.data(payload))
      #expect(WebSocketPeer.frames(in: machine.takeOutput() ?? Data()) == ["binary \(payload.hexadecimal)"])
    }
  }

  /// Section 5.5: a reason has 123 bytes at most, and is cut between characters; codes that no frame may have are left out.
  @Test func closeFrames() {
    func frame(_ code: UInt16?, _ reason: Data?) -> [String] {
      var machine = WebSocketMachine(maximumMessageSize: 10)
      machine.close(code, reason: reason)
      return WebSocketPeer.frames(in: machine.takeOutput() ?? Data())
    }
    #expect(frame(nil, Data("x".utf8)) == ["close"])
    #expect(frame(1005, nil) == ["close"])
    #expect(frame(4000, nil) == ["close 4000"])
    #expect(
      frame(1000, Data(String(repeating: "ü", count: 100).utf8)) == ["close 1000 " + String(repeating: "ü", count: 61)])
    #expect(frame(1000, Data(count: 1 << 20)).count == 1)
  }
}
