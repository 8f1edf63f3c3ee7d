import Foundation
import Testing

@testable import URLLoading

/// Section 1 of the suite: messages of the lengths at which a frame's head changes, text and binary. Section 10: a message in fragments.
@Suite(.timeLimit(.minutes(4))) struct AutobahnFramingTests {
  private static let lengths = [0, 125, 126, 127, 128, 65_535, 65_536]

  /// - Parameter byte: what the payload consists of.
  private static func messages(_ section: String, _ first: UInt8, _ byte: UInt8) -> [AutobahnCase] {
    func echo(_ payload: Data) -> AutobahnReply { first == 0x81 ? .text(payload) : .binary(payload) }
    func payload(_ length: Int) -> Data { Data(repeating: byte, count: length) }
    let whole = lengths.enumerated().map { index, length in
      AutobahnCase(
        "\(section).\(index + 1)", [WebSocketPeer.frame(first, payload(length))], replies: [echo(payload(length))])
    }
    let chopped = AutobahnCase(
      "\(section).8", [WebSocketPeer.frame(first, payload(65_536))], .bytes(997), replies: [echo(payload(65_536))])
    return whole + [chopped]
  }

  private static let fragmented = AutobahnCase(
    "10.1.1", AutobahnCase.fragments(0x01, Data(repeating: UInt8(ascii: "*"), count: 65_536), size: 1_300),
    replies: [.text(Data(repeating: UInt8(ascii: "*"), count: 65_536))])

  static let cases = messages("1.1", 0x81, UInt8(ascii: "*")) + messages("1.2", 0x82, 0xfe) + [fragmented]

  @Test(arguments: cases) func framing(_ one: AutobahnCase) { one.expectToPass() }

  /// What 10.1.1 counts on its own side: 50 frames of 1,300 bytes, and one of 536.
  @Test func fragmentsOfTheFragmentedMessage() {
    let sizes = Self.fragmented.frames.map { $0.count - 4 }
    #expect(sizes == Array(repeating: 1_300, count: 50) + [536])
  }
}
