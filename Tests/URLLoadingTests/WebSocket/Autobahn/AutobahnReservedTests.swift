import Foundation
import Testing

@testable import URLLoading

/// Sections 3 and 4 of the suite: bits and opcodes that mean nothing. A message before them is echoed, a ping after them is not answered.
@Suite(.timeLimit(.minutes(4))) struct AutobahnReservedTests {
  private static func frame(_ first: UInt8, _ payload: String = "") -> Data { AutobahnCase.frame(first, payload) }

  private static let hello = "Hello, world!"
  private static let bytes = Data([0x00, 0xff, 0xfe, 0xfd, 0xfc, 0xfb, 0x00, 0xff])

  /// - Parameter wrong: the frame between the message and the ping.
  private static func between(_ number: String, _ wrong: Data, _ chops: AutobahnCase.Chops = .together) -> AutobahnCase
  {
    AutobahnCase(number, [frame(0x81, hello), wrong, frame(0x89)], chops, replies: [.text(hello)], end: .failed(1002))
  }

  static let bits: [AutobahnCase] = [
    AutobahnCase("3.1", [frame(0x91, hello)], end: .failed(1002)),
    between("3.2", frame(0xa1, hello)),
    between("3.3", frame(0xb1, hello), .frameByFrame),
    between("3.4", frame(0xc1, hello), .bytes(1)),
    AutobahnCase("3.5", [WebSocketPeer.frame(0xd2, bytes)], end: .failed(1002)),
    // A binary message, not the ping that the suite's words say.
    AutobahnCase("3.6", [frame(0xe2, hello)], end: .failed(1002)),
    AutobahnCase("3.7", [frame(0xf8)], end: .failed(1002)),
  ]

  /// - Parameter opcodes: five that are reserved.
  private static func reserved(_ section: String, _ opcodes: ClosedRange<UInt8>) -> [AutobahnCase] {
    let firsts = opcodes.map { 0x80 | $0 }
    return [
      AutobahnCase("\(section).1", [frame(firsts[0])], end: .failed(1002)),
      AutobahnCase("\(section).2", [frame(firsts[1], "reserved opcode payload")], end: .failed(1002)),
      between("\(section).3", frame(firsts[2])),
      between("\(section).4", frame(firsts[3], hello)),
      between("\(section).5", frame(firsts[4], hello), .bytes(1)),
    ]
  }

  static let cases: [AutobahnCase] = bits + reserved("4.1", 3...7) + reserved("4.2", 11...15)

  @Test(arguments: cases) func failure(_ one: AutobahnCase) { one.expectToPass() }

  /// What 3.6 is called: a ping.
  @Test func bitsOfAPing() {
    AutobahnCase("3.6", [Self.frame(0xe9, Self.hello)], end: .failed(1002)).expectToPass()
  }
}
