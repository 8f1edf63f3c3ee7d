import Foundation
import Testing

@testable import URLLoading

/// The rules of RFC 7692, each under its section.
@Suite struct WebSocketCompressionTests {
  private func bytes(_ hexadecimal: String) -> Data {
    Data(
      stride(from: 0, to: hexadecimal.count, by: 2).compactMap {
        UInt8(hexadecimal.dropFirst($0).prefix(2), radix: 16)
      })
  }

  private func machine(_ change: (inout WebSocketCompression) -> Void = { _ in }, limit: Int = 1 << 20)
    -> WebSocketMachine
  {
    var compression = WebSocketCompression()
    change(&compression)
    return WebSocketMachine(maximumMessageSize: limit, compression: compression)
  }

  /// What a machine makes of frames, the same in one piece and byte by byte.
  private func outcome(_ hexadecimal: String..., in machine: @autoclosure () -> WebSocketMachine) -> [String] {
    let frames = bytes(hexadecimal.joined())
    let whole = WebSocketOutcome(of: frames, in: machine())
    #expect(WebSocketOutcome(of: frames, in: machine(), step: 1) == whole)
    return whole.events
  }

  // MARK: The RFC's examples

  @Test("7.2.3.1 one block") func oneBlock() {
    #expect(outcome("c107f248cdc9c90700", in: machine()) == ["text Hello"])
  }

  @Test("7.2.3.1 fragments") func fragments() {
    #expect(outcome("4103f248cd", "8004c9c90700", in: machine()) == ["text Hello"])
  }

  @Test("7.2.3.2 a window that is shared") func sharedWindow() {
    #expect(outcome("c107f248cdc9c90700", "c105f200110000", in: machine()) == ["text Hello", "text Hello"])
  }

  @Test("7.2.3.3 no compression") func storedBlock() {
    #expect(outcome("c10b000500faff48656c6c6f00", in: machine()) == ["text Hello"])
  }

  @Test("7.2.3.4 a block with BFINAL") func finalBlock() {
    #expect(outcome("c108f348cdc9c9070000", in: machine()) == ["text Hello"])
    // What follows refers to what was before.
    #expect(outcome("c108f348cdc9c9070000", "c105f200110000", in: machine()) == ["text Hello", "text Hello"])
  }

  @Test("7.2.3.5 two blocks") func twoBlocks() {
    #expect(outcome("c10df248050000 00ffffcac9c90700".filter { $0 != " " }, in: machine()) == ["text Hello"])
  }

  @Test("7.2.3.6 an empty message") func emptyMessage() {
    #expect(outcome("c10100", in: machine()) == ["text "])
    #expect(outcome("4100", "800100", in: machine()) == ["text "])
  }

  // MARK: Frames

  @Test("6 messages may go as they are") func uncompressed() {
    #expect(
      outcome("c107f248cdc9c90700", "810161", "c105f200110000", in: machine()) == [
        "text Hello", "text a", "text Hello",
      ])
  }

  @Test("6.1 RSV1 on a continuation") func bitOnContinuation() {
    #expect(outcome("4103f248cd", "c004c9c90700", in: machine()) == ["failed 1002"])
    #expect(outcome("010161", "c00161", in: machine()) == ["failed 1002"])
  }

  @Test("6.1 RSV1 on a control frame") func bitOnControlFrame() {
    #expect(outcome("c900", in: machine()) == ["failed 1002"])
    #expect(outcome("c802" + "03e8", in: machine()) == ["failed 1002"])
  }

  @Test("5 RSV2 and RSV3 belong to nobody") func otherBits() {
    #expect(outcome("a10161", in: machine()) == ["failed 1002"])
    #expect(outcome("910161", in: machine()) == ["failed 1002"])
  }

  @Test("6.2 control frames within a compressed message are not compressed") func controlWithin() {
    #expect(outcome("4103f248cd", "8a0178", "8004c9c90700", in: machine()) == ["pong 78", "text Hello"])
  }

  // MARK: What is wrong

  @Test("7.2.2 what is no DEFLATE") func garbage() {
    #expect(outcome("c104ffffffff", in: machine()) == ["failed 1007"])
    #expect(outcome("c10107", in: machine()) == ["failed 1007"])
  }

  @Test("7.2.2 cut off within a block") func cutOff() {
    #expect(outcome("c103f248cd", in: machine()) == ["failed 1007"])
    // A stored block of five bytes that has two: it swallows what is put after it.
    #expect(outcome("c107000500faff4865", in: machine()) == ["failed 1007"])
  }

  @Test("7.2.2 a compressed message without bytes") func noBytes() {
    #expect(outcome("c100", in: machine()) == ["failed 1007"])
  }

  @Test("7.2.2 a reference to before the beginning") func reference() {
    #expect(outcome("c105f200110000", in: machine()) == ["failed 1007"])
  }

  @Test("7.1.1.1 a context that the server must not use") func contextAfterAgreement() {
    let without = machine { $0.serverKeepsContext = false }
    #expect(outcome("c107f248cdc9c90700", "c107f248cdc9c90700", in: without) == ["text Hello", "text Hello"])
    let again = machine { $0.serverKeepsContext = false }
    #expect(outcome("c107f248cdc9c90700", "c105f200110000", in: again) == ["text Hello", "failed 1007"])
  }

  @Test("RFC 6455 8.1 text is validated after decompression, before the message ends") func encoding() {
    // A stored block of ff.
    #expect(outcome("4106" + "000100feffff", in: machine()) == ["failed 1007"])
    #expect(outcome("c207" + "000100feffff" + "00", in: machine()) == ["data ff"])
    // Half a character.
    #expect(outcome("c107" + "000100feffe2" + "00", in: machine()) == ["failed 1007"])
  }

  @Test("RFC 6455 8.1 text is validated up to the limit, however it is cut", arguments: [1, 7, 30, .max])
  func encodingBeforeTheLimit(_ step: Int) throws {
    let deflater = try #require(WebSocketDeflater(WebSocketCompression()))
    let text = Data(repeating: 0x61, count: 65_000) + [0xff] + Data(repeating: 0x61, count: 10_000)
    let frame = WebSocketPeer.frame(0xc1, try #require(deflater.deflate(text)))
    #expect(WebSocketOutcome(of: frame, in: machine(limit: 65_001), step: step).events == ["failed 1007"])
    #expect(WebSocketOutcome(of: frame, in: machine(limit: 65_000), step: step).events == ["failed 1009"])
  }

  @Test("8 a bomb ends at the limit") func bomb() throws {
    let deflater = try #require(WebSocketDeflater(WebSocketCompression()))
    let payload = try #require(deflater.deflate(Data(count: 100 << 20)))
    #expect(payload.count < 1 << 20)
    let frame = WebSocketPeer.frame(0xc2, payload)
    #expect(WebSocketOutcome(of: frame, in: machine()).events == ["failed 1009"])
    #expect(WebSocketOutcome(of: frame, in: machine(limit: 100 << 20)).events == ["data of \(100 << 20)"])
    #expect(WebSocketOutcome(of: frame, in: machine(limit: 100 << 20 - 1)).events == ["failed 1009"])
  }

  @Test("7.2.3.5 blocks that only say that they are the last, and blocks without content, come to an end")
  func emptyBlocks() {
    let finals = WebSocketPeer.frame(0xc2, Data((0..<10_000).flatMap { _ in [0x03, 0x00] as [UInt8] }))
    #expect(WebSocketOutcome(of: finals, in: machine()).events == ["failed 1007"])
    let stored = WebSocketPeer.frame(
      0xc2, Data((0..<10_000).flatMap { _ in [0x00, 0x00, 0x00, 0xff, 0xff] as [UInt8] }))
    #expect(WebSocketOutcome(of: stored, in: machine(limit: 1_000)).events == ["failed 1009"])
  }

  // MARK: What is sent

  @Test(
    "7.2.1 what is compressed comes back", arguments: [true, false], [9, 12, 15])
  func roundTrip(_ keepsContext: Bool, _ windowBits: Int) throws {
    var compression = WebSocketCompression()
    compression.clientKeepsContext = keepsContext
    compression.clientWindowBits = windowBits
    // What the peer reads by.
    var peer = WebSocketCompression()
    peer.serverKeepsContext = keepsContext
    peer.serverWindowBits = windowBits
    var reader = WebSocketMessageReader(maximumSize: .max, compression: peer)
    let deflater = try #require(WebSocketDeflater(compression))
    for length in [1, 64, 1_000, 100_000, 1 << 20] {
      for message in [Data(repeating: 0x61, count: length), Data((0..<length).map { _ in UInt8.random(in: 0...255) })] {
        let payload = try #require(deflater.deflate(message))
        let header = WebSocketFrameHeader(opcode: .binary, isFinal: true, isCompressed: true, length: payload.count)
        try reader.begin(header)
        try payload.withUnsafeBytes { try reader.append($0) }
        guard case .data(let read) = try reader.end() else {
          Issue.record("no data")
          return
        }
        let isEqual = read == message
        #expect(isEqual, "\(length)")
      }
    }
  }

  @Test("6.1 long messages are compressed, short ones and control frames are not") func whatIsCompressed() {
    var machine = machine()
    machine.send(.string("short"))
    machine.send(.string(String(repeating: "long", count: 100)))
    machine.ping(Data(repeating: 0x61, count: 100))
    let frames = WebSocketPeer.frames(in: machine.takeOutput() ?? Data())
    #expect(frames.first == "text short" && frames.count == 3)
    #expect(frames[1].hasPrefix("text compressed"))
    #expect(frames.last == "ping")
  }

  @Test("7.1.2.2 a window that zlib cannot have: messages go as they are") func smallestWindow() {
    var machine = machine { $0.clientWindowBits = 8 }
    let text = String(repeating: "long", count: 100)
    machine.send(.string(text))
    #expect(WebSocketPeer.frames(in: machine.takeOutput() ?? Data()) == ["text \(text)"])
  }

  // MARK: The agreement

  @Test(arguments: [
    ("permessage-deflate", WebSocketCompression()),
    ("Permessage-Deflate ; Server_no_context_takeover", compression { $0.serverKeepsContext = false }),
    (
      "permessage-deflate; client_no_context_takeover; server_max_window_bits=10; client_max_window_bits=\"12\"",
      compression {
        $0.clientKeepsContext = false
        $0.serverWindowBits = 10
        $0.clientWindowBits = 12
      }
    ),
  ])
  func agreements(_ field: String, _ expected: WebSocketCompression) throws {
    #expect(try WebSocketCompression(agreedBy: field) == expected)
  }

  private static func compression(_ change: (inout WebSocketCompression) -> Void) -> WebSocketCompression {
    var compression = WebSocketCompression()
    change(&compression)
    return compression
  }

  @Test(
    "5.1, 7.1 what is no answer to the offer",
    arguments: [
      "x-webkit-deflate-frame", "permessage-deflate, permessage-deflate", "permessage-deflate; unknown",
      "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
      "permessage-deflate; server_no_context_takeover=1", "permessage-deflate; client_max_window_bits",
      "permessage-deflate; server_max_window_bits=7", "permessage-deflate; server_max_window_bits=16",
      "permessage-deflate; server_max_window_bits=08", "permessage-deflate; client_max_window_bits=+9",
      "permessage-deflate;", "permessage-deflate x", "permessage-deflate; server_max_window_bits=", ",",
    ])
  func refusals(_ field: String) {
    #expect(throws: WebSocketHandshake.Refusal.self) { try WebSocketCompression(agreedBy: field) }
  }
}

extension WebSocketDeflater {
  fileprivate func deflate(_ message: Data) -> Data? { message.withUnsafeBytes { deflate($0) } }
}
