import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoadingCurlTransport

/// Answers over HTTP/2 that come before the request's body was read, after which the server lets go of the stream (RFC 9113, section 8.1).
@Suite(.timeLimit(.minutes(4))) struct HTTP2EarlyAnswerTests {
  /// What shows that the answer is whole.
  enum Answer: String, CaseIterable {
    case length, noContent, lengthOfNothing, unknownLength

    var status: Int {
      switch self {
      case .length, .unknownLength: 200
      case .noContent: 204
      case .lengthOfNothing: 307
      }
    }

    var body: String { status == 200 ? "fine" : "" }

    func frames(_ stream: UInt32) -> [HTTP2Frame] {
      let body = HTTP2Frame.body(stream: stream, Data("fine".utf8), ends: true)
      return switch self {
      case .length: [.head(stream: stream, [("content-length", "4")]), body]
      case .noContent: [.head(stream: stream, status: status, ends: true)]
      case .lengthOfNothing: [.head(stream: stream, status: status, [("content-length", "0")], ends: true)]
      case .unknownLength: [.head(stream: stream), body]
      }
    }
  }

  /// Sends 5 MB, of which the window lets through 64 KiB.
  /// - Parameter inOnePiece: whether RST_STREAM comes with the answer, or when that was seen.
  private static func run(_ answer: Answer, to method: String, inOnePiece: Bool) async throws -> Recorder.State {
    let isSeen = AsyncEvent()
    let server = try ScriptedServer { connection in
      try connection.beginHTTP2()
      var stream: UInt32 = 0
      while stream == 0 {
        let frame = try connection.readFrame()
        if frame.type == HTTP2Frame.Kind.settings.rawValue, frame.flags == 0 {
          try connection.send([HTTP2Frame(.settings, flags: HTTP2Frame.acknowledgement)])
        }
        if frame.type == HTTP2Frame.Kind.headers.rawValue { stream = frame.stream }
      }
      let reset = HTTP2Frame.reset(stream: stream, error: 0)
      if inOnePiece {
        try connection.send(answer.frames(stream) + [reset])
      } else {
        try connection.send(answer.frames(stream))
        guard isSeen.waitBlocking() else { return }
        try connection.send([reset])
      }
      _ = connection.waitForPeerClose()
    }
    let front = try await TLSFront.start(before: server.port)
    let engine = try await makeTrustingEngine()
    var request = TransferRequest(url: front.url().absoluteString, method: method)
    request.body = .data(Data(count: 5_000_000))
    let recorder = Recorder()
    _ = engine.start(request, handler: recorder)
    _ = try await recorder.wait { $0.result != nil || ($0.head != nil && $0.body.count == answer.body.utf8.count) }
    isSeen.signal()
    return try await recorder.completion()
  }

  @Test(arguments: Answer.allCases, ["PUT", "POST"])
  func anAnswerIsKept(answer: Answer, method: String) async throws {
    let state = try await Self.run(answer, to: method, inOnePiece: false)
    #expect(state.head?.statusCode == answer.status)
    #expect(String(decoding: state.body, as: UTF8.self) == answer.body)
    if answer != .unknownLength || LibcurlFacts.keepsEarlyAnswers {
      #expect(state.failure == nil, "\(String(describing: state.failure))")
    } else {
      // Nothing says that this was all.
      #expect(state.failure?.reason == .libcurl)
    }
  }

  /// libcurl before 8.1 drops what comes in one piece with RST_STREAM.
  @Test(arguments: Answer.allCases, ["PUT", "POST"])
  func anAnswerInOnePieceWithTheResetIsKeptOrKnownToBeLost(answer: Answer, method: String) async throws {
    let state = try await Self.run(answer, to: method, inOnePiece: true)
    guard !LibcurlFacts.keepsEarlyAnswers else {
      #expect(state.failure == nil, "\(String(describing: state.failure))")
      #expect(state.head?.statusCode == answer.status)
      #expect(String(decoding: state.body, as: UTF8.self) == answer.body)
      return
    }
    let failure = try #require(state.failure)
    #expect(failure.reason == .lostAnswer && failure.urlErrorCode.rawValue == -1005, "\(failure)")
    #expect(failure.isRepeatable == (method == "PUT"))
  }
}
