import Foundation
import Testing

@testable import URLLoading

/// Section 2 of the suite: pings and pongs.
@Suite(.timeLimit(.minutes(4))) struct AutobahnControlTests {
  private static func frame(_ first: UInt8, _ payload: String = "") -> Data { AutobahnCase.frame(first, payload) }

  private static let bytes = Data([0x00, 0xff, 0xfe, 0xfd, 0xfc, 0xfb, 0x00, 0xff])
  private static let largest = Data(repeating: 0xfe, count: 125)
  private static let ten = (0..<10).map { "payload-\($0)" }

  static let cases: [AutobahnCase] = [
    AutobahnCase("2.1", [frame(0x89)], replies: [.pong("")]),
    AutobahnCase("2.2", [frame(0x89, "Hello, world!")], replies: [.pong("Hello, world!")]),
    AutobahnCase("2.3", [WebSocketPeer.frame(0x89, bytes)], replies: [.pong(bytes)]),
    AutobahnCase("2.4", [WebSocketPeer.frame(0x89, largest)], replies: [.pong(largest)]),
    AutobahnCase("2.5", [WebSocketPeer.frame(0x89, Data(repeating: 0xfe, count: 126))], end: .failed(1002)),
    AutobahnCase("2.6", [WebSocketPeer.frame(0x89, largest)], .bytes(1), replies: [.pong(largest)]),
    AutobahnCase("2.7", [frame(0x8a)]),
    AutobahnCase("2.8", [frame(0x8a, "unsolicited pong payload")]),
    AutobahnCase(
      "2.9", [frame(0x8a, "unsolicited pong payload"), frame(0x89, "ping payload")], replies: [.pong("ping payload")]),
    AutobahnCase("2.10", ten.map { frame(0x89, $0) }, replies: ten.map { .pong($0) }),
    AutobahnCase("2.11", ten.map { frame(0x89, $0) }, .bytes(1), replies: ten.map { .pong($0) }),
  ]

  @Test(arguments: cases) func control(_ one: AutobahnCase) { one.expectToPass() }
}
