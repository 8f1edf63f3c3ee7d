import Foundation
import Testing

@testable import URLLoading

/// Section 7 of the suite: how connections are closed.
@Suite(.timeLimit(.minutes(4))) struct AutobahnCloseTests {
  private static func frame(_ first: UInt8, _ payload: String = "") -> Data { AutobahnCase.frame(first, payload) }

  private static let close = WebSocketPeer.close(1000)
  private static let hello = "Hello World!"

  /// 256 KiB.
  private static let long = Data(AutobahnLimitTests.repeated(Data("BAsd7&jh23".utf8), to: 256 << 10))

  private static let order: [AutobahnCase] = [
    AutobahnCase("7.1.1", [frame(0x81, hello)], replies: [.text(hello)]),
    AutobahnCase("7.1.2", [close, frame(0x88)], end: .closed(1000)),
    AutobahnCase("7.1.3", [close, frame(0x89)], end: .closed(1000)),
    AutobahnCase("7.1.4", [close, frame(0x81, hello)], end: .closed(1000)),
    AutobahnCase("7.1.5", [frame(0x01, "fragment1"), close, frame(0x80, "fragment2")], end: .closed(1000)),
    AutobahnCase(
      "7.1.6", [WebSocketPeer.frame(0x81, long), frame(0x81, hello), close, frame(0x89)],
      replies: [.text(long), .text(hello)], end: .closed(1000)),
  ]

  private static func reason(_ count: Int) -> Data { Data(repeating: UInt8(ascii: "*"), count: count) }

  private static let payloads: [AutobahnCase] = [
    AutobahnCase("7.3.1", [frame(0x88)], end: .closed(nil)),
    AutobahnCase("7.3.2", [frame(0x88, "a")], end: .failed(1002)),
    AutobahnCase("7.3.3", [close], end: .closed(1000)),
    AutobahnCase("7.3.4", [WebSocketPeer.close(1000, Data(hello.utf8))], end: .closed(1000)),
    AutobahnCase("7.3.5", [WebSocketPeer.close(1000, reason(123))], end: .closed(1000)),
    AutobahnCase("7.3.6", [WebSocketPeer.close(1000, reason(124))], end: .failed(1002)),
    // A surrogate in the reason.
    AutobahnCase(
      "7.5.1",
      [WebSocketPeer.close(1000, AutobahnTextSequences.bytes("cebae1bdb9cf83cebcceb5eda080656469746564"))],
      end: .failed(1007)),
  ]

  private static let validCodes: [AutobahnCase] =
    [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999].enumerated().map { index, code in
      AutobahnCase("7.7.\(index + 1)", [WebSocketPeer.close(UInt16(code))], end: .closed(code))
    }

  private static let invalidCodes: [AutobahnCase] =
    [0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999].enumerated().map { index, code in
      AutobahnCase("7.9.\(index + 1)", [WebSocketPeer.close(code)], end: .failed(1002))
    }

  /// What RFC 6455 says nothing about but that no use is defined (section 7.4.2).
  private static let otherCodes: [AutobahnCase] = [5_000, 65_535].enumerated().map { index, code in
    AutobahnCase("7.13.\(index + 1)", [WebSocketPeer.close(code)], end: .failed(1002))
  }

  static let cases = order + payloads + validCodes + invalidCodes + otherCodes

  @Test(arguments: cases) func close(_ one: AutobahnCase) { one.expectToPass() }
}
