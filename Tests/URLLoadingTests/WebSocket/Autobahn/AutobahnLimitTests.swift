import Foundation
import Testing

@testable import URLLoading

/// Section 9 of the suite: large messages, many fragments, many messages. What is checked is what comes back; the suite's time limits, a
/// minute and more, are for connections.
@Suite(.timeLimit(.minutes(4))) struct AutobahnLimitTests {
  /// Messages of one kind and length; the next is sent when the one before has come back.
  struct Load: Sendable, CustomTestStringConvertible {
    let number: String
    let isText: Bool
    /// What the messages repeat.
    let pattern: Data
    let length: Int
    /// The bytes of a fragment.
    var fragment = Int.max
    /// How many bytes come at a time.
    var step = Int.max
    var count = 1

    var testDescription: String { number }
  }

  /// - Returns: `pattern`, repeated and cut off at `length` bytes.
  static func repeated(_ pattern: Data, to length: Int) -> Data {
    var bytes = Data(capacity: length + pattern.count)
    while bytes.count < min(length, 64 * pattern.count) { bytes.append(pattern) }
    while bytes.count < length { bytes.append(bytes) }
    return bytes.prefix(length)
  }

  private static let text = Data("BAsd7&jh23".utf8)
  private static let binary = Data([0x00, 0xfe, 0x23, 0xfa, 0xf0])
  private static let stars = Data("*".utf8)
  private static let other = Data([0xfe])

  private static let sizes = [64 << 10, 256 << 10, 1 << 20, 4 << 20, 8 << 20, 16 << 20].enumerated().flatMap {
    [
      Load(number: "9.1.\($0 + 1)", isText: true, pattern: text, length: $1),
      Load(number: "9.2.\($0 + 1)", isText: false, pattern: binary, length: $1),
    ]
  }

  private static let fragments = (0..<9).flatMap { (index: Int) -> [Load] in
    // 64 bytes to 4 MiB.
    let fragment = 64 << (2 * index)
    return [
      Load(number: "9.3.\(index + 1)", isText: true, pattern: stars, length: 4 << 20, fragment: fragment),
      Load(
        number: "9.4.\(index + 1)", isText: false, pattern: index == 0 ? other : stars, length: 4 << 20,
        fragment: fragment),
    ]
  }

  private static let chops = (0..<6).flatMap { (index: Int) -> [Load] in
    // 64 bytes to 2 KiB.
    let step = 64 << index
    return [
      Load(number: "9.5.\(index + 1)", isText: true, pattern: text, length: 1 << 20, step: step),
      Load(number: "9.6.\(index + 1)", isText: false, pattern: binary, length: 1 << 20, step: step),
    ]
  }

  private static let roundTrips = [0, 16, 64, 256, 1_024, 4_096].enumerated().flatMap {
    [
      Load(number: "9.7.\($0 + 1)", isText: true, pattern: stars, length: $1, count: 1_000),
      Load(number: "9.8.\($0 + 1)", isText: false, pattern: other, length: $1, count: 1_000),
    ]
  }

  static let cases = sizes + fragments + chops + roundTrips

  @Test(arguments: cases) func limits(_ load: Load) {
    var client = AutobahnClient()
    let message = Self.repeated(load.pattern, to: load.length)
    let echo = [load.isText ? AutobahnReply.text(message) : .binary(message)]
    let frames = AutobahnCase.joined(
      AutobahnCase.fragments(load.isText ? 0x01 : 0x02, message, size: load.fragment))
    for _ in 0..<load.count {
      client.receive(frames, step: load.step)
      let replies = client.takeReplies()
      let isEcho = replies == echo
      #expect(isEcho, "\(replies)")
      if !isEcho { return }
    }
    client.receive(WebSocketPeer.close(1000))
    #expect(client.replies == [.close(1000)] && client.fault == nil)
  }

  /// Cases of more than 1 MiB need a task that is told to take them.
  @Test func withoutBeingTold() throws {
    let task = URLSession.shared.webSocketTask(with: try #require(URL(string: "ws://localhost/")))
    #expect(task.maximumMessageSize == 1 << 20)
    task.cancel()
    let message = WebSocketPeer.frame(0x82, length: 4 << 20)
    let machine = WebSocketMachine(maximumMessageSize: task.maximumMessageSize)
    #expect(WebSocketOutcome(of: message, in: machine).events == ["failed 1009"])
  }
}
