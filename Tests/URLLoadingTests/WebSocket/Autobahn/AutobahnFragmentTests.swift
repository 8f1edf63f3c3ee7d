import Foundation
import Testing

@testable import URLLoading

/// Section 5 of the suite: fragments.
@Suite(.timeLimit(.minutes(4))) struct AutobahnFragmentTests {
  private static func frame(_ first: UInt8, _ payload: String = "") -> Data { AutobahnCase.frame(first, payload) }

  private static let chops: [AutobahnCase.Chops] = [.together, .frameByFrame, .bytes(1)]

  /// The same frames in three ways: together, frame by frame, byte by byte.
  private static func inThreeWays(
    from number: Int, _ frames: [Data], replies: [AutobahnReply] = [], end: AutobahnCase.End = .clean
  ) -> [AutobahnCase] {
    chops.enumerated().map { AutobahnCase("5.\(number + $0)", frames, $1, replies: replies, end: end) }
  }

  private static let two = [frame(0x01, "fragment1"), frame(0x80, "fragment2")]
  private static let echo = AutobahnReply.text("fragment1fragment2")

  /// Twice a continuation of nothing, then a message in two fragments.
  private static func repeated(_ first: UInt8) -> [Data] {
    let once = [frame(first, "fragment1"), frame(0x01, "fragment2"), frame(0x80, "fragment3")]
    return once + once
  }

  /// Of five fragments two come, then a ping, then two, then a ping, then the last.
  static let interleaved = [
    frame(0x01, "fragment1"), frame(0x00, "fragment2"), frame(0x89, "pongme 1!"), frame(0x00, "fragment3"),
    frame(0x00, "fragment4"), frame(0x89, "pongme 2!"), frame(0x80, "fragment5"),
  ]
  private static let interleavedReplies: [AutobahnReply] = [
    .pong("pongme 1!"), .pong("pongme 2!"), .text("fragment1fragment2fragment3fragment4fragment5"),
  ]

  private static let control: [AutobahnCase] = [
    AutobahnCase("5.1", [frame(0x09, "fragment1"), frame(0x80, "fragment2")], end: .failed(1002)),
    AutobahnCase("5.2", [frame(0x0a, "fragment1"), frame(0x80, "fragment2")], end: .failed(1002)),
  ]

  private static let orphans: [AutobahnCase] = [
    AutobahnCase(
      "5.15", two + [frame(0x00, "fragment3"), frame(0x81, "fragment4")], replies: [echo], end: .failed(1002)),
    AutobahnCase("5.16", repeated(0x00), end: .failed(1002)),
    AutobahnCase("5.17", repeated(0x80), end: .failed(1002)),
    AutobahnCase("5.18", [frame(0x01, "fragment1"), frame(0x81, "fragment2")], end: .failed(1002)),
    AutobahnCase("5.19", interleaved, replies: interleavedReplies),
    AutobahnCase("5.20", interleaved, .frameByFrame, replies: interleavedReplies),
  ]

  private static func continuation(_ first: UInt8) -> [Data] {
    [frame(first, "non-continuation payload"), frame(0x81, "Hello, world!")]
  }

  static let cases = [
    control, inThreeWays(from: 3, two, replies: [echo]),
    inThreeWays(from: 6, [two[0], frame(0x89, "ping payload"), two[1]], replies: [.pong("ping payload"), echo]),
    inThreeWays(from: 9, continuation(0x80), end: .failed(1002)),
    inThreeWays(from: 12, continuation(0x00), end: .failed(1002)), orphans,
  ].flatMap { $0 }

  @Test(arguments: cases) func fragments(_ one: AutobahnCase) { one.expectToPass() }

  /// What 5.19 and 5.20 wait a second for: the first pong comes before the second half of the frames.
  @Test func pongsComeAtOnce() {
    var client = AutobahnClient()
    for frame in Self.interleaved.prefix(3) { client.receive(frame) }
    #expect(client.replies == [.pong("pongme 1!")])
  }
}
