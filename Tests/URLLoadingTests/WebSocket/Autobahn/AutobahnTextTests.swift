import Foundation
import Testing

@testable import URLLoading

/// Section 6 of the suite: UTF-8.
@Suite(.timeLimit(.minutes(4))) struct AutobahnTextTests {
  private static let greeting = Data("Hello-µ@ßöäüàá-UTF-8!!".utf8)
  private static let greek = AutobahnTextSequences.bytes("cebae1bdb9cf83cebcceb5")
  private static let rest = AutobahnTextSequences.bytes("656469746564")
  /// A surrogate within text: wrong from its second byte on.
  private static let wrong = greek + AutobahnTextSequences.bytes("eda080") + rest

  private static let valid: [AutobahnCase] = [
    AutobahnCase("6.1.1", [AutobahnCase.frame(0x81)], replies: [.text("")]),
    AutobahnCase(
      "6.1.2", [AutobahnCase.frame(0x01), AutobahnCase.frame(0x00), AutobahnCase.frame(0x80)], replies: [.text("")]),
    AutobahnCase(
      "6.1.3", [AutobahnCase.frame(0x01), AutobahnCase.frame(0x00, "middle frame payload"), AutobahnCase.frame(0x80)],
      replies: [.text("middle frame payload")]),
    AutobahnCase("6.2.1", [WebSocketPeer.frame(0x81, greeting)], replies: [.text(greeting)]),
    AutobahnCase(
      "6.2.2", [AutobahnCase.frame(0x01, "Hello-µ@ßöä"), AutobahnCase.frame(0x80, "üàá-UTF-8!!")],
      replies: [.text(greeting)]),
    AutobahnCase("6.2.3", AutobahnCase.fragments(0x01, greeting, size: 1), replies: [.text(greeting)]),
    AutobahnCase("6.2.4", AutobahnCase.fragments(0x01, greek, size: 1), replies: [.text(greek)]),
  ]

  private static let invalid: [AutobahnCase] = [
    AutobahnCase("6.3.1", [WebSocketPeer.frame(0x81, wrong)], end: .failed(1007)),
    AutobahnCase("6.3.2", AutobahnCase.fragments(0x01, wrong, size: 1), end: .failed(1007)),
  ]

  private static let sequences = AutobahnTextSequences.all.map { sequence in
    AutobahnCase(
      sequence.number, [WebSocketPeer.frame(0x81, sequence.payload)],
      replies: sequence.isText ? [.text(sequence.payload)] : [], end: sequence.isText ? .clean : .failed(1007))
  }

  static let whole = valid + invalid + sequences

  @Test(arguments: whole) func text(_ one: AutobahnCase) { one.expectToPass() }

  // MARK: At the first byte that is wrong

  /// What comes, in three parts; the second is wrong, and the third never comes.
  struct Early: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let parts: [Data]
  }

  /// Wrong from its second byte on: above U+10FFFF.
  private static let tooHigh = AutobahnTextSequences.bytes("f4908080")
  private static let frame = WebSocketPeer.frame(0x81, greek + tooHigh + rest)

  /// A frame each: the first begins the message, the last ends it.
  private static func frames(_ parts: [Data]) -> [Data] {
    zip([0x01, 0x00, 0x80], parts).map { WebSocketPeer.frame($0, $1) }
  }

  static let early: [Early] = [
    Early(testDescription: "6.4.1", parts: frames([greek, tooHigh, rest])),
    Early(
      testDescription: "6.4.2",
      parts: frames([greek + tooHigh.prefix(1), tooHigh.dropFirst().prefix(1), tooHigh.dropFirst(2) + rest])),
    Early(
      testDescription: "6.4.3",
      parts: [frame.prefix(2 + greek.count), frame.dropFirst(2 + greek.count).prefix(4), frame.suffix(rest.count)]),
    Early(
      testDescription: "6.4.4",
      parts: [
        frame.prefix(3 + greek.count), frame.dropFirst(3 + greek.count).prefix(1), frame.dropFirst(4 + greek.count),
      ]),
  ]

  @Test(arguments: early) func failsEarly(_ one: Early) {
    #expect(one.parts.count == 3)
    var client = AutobahnClient()
    client.receive(one.parts[0])
    #expect(client.replies == [] && client.fault == nil)
    client.receive(one.parts[1])
    #expect(client.replies == [.close(1007)] && client.fault?.code == 1007)
    client.receive(one.parts[2])
    #expect(client.replies == [.close(1007)])
  }
}
