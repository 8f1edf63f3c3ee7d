import Foundation
import Testing
import URLLoadingBase
import URLLoadingTestServers

@testable import URLLoadingCurlTransport

/// What is sent again when a kept connection ends without an answer.
@Suite(.timeLimit(.minutes(4))) struct RepetitionTests {
  @Test(arguments: ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "PROPFIND"])
  func idempotentMethodsMayBeRepeated(method: String) {
    #expect(Repetition(method: method, mayHaveBeenTaken: true).isAllowed)
  }

  @Test(arguments: ["POST", "PATCH", "LOCK", "CONNECT", "post", "get", "Get", "X", ""])
  func othersMayBeRepeatedOnlyIfNothingWasWritten(method: String) {
    #expect(!Repetition(method: method, mayHaveBeenTaken: true).isAllowed)
    #expect(Repetition(method: method, mayHaveBeenTaken: false).isAllowed)
  }

  /// How a connection of HTTP/2 ends.
  enum End: String, CaseIterable {
    case close, breach, refusal, goAwayBefore
  }

  /// Answers the first request of the first connection, and ends the second; answers all on the others.
  private func run(_ method: String, _ end: End, body: String?) async throws -> (state: Recorder.State, count: Int) {
    let count = Locked(0)
    let server = try ScriptedServer { connection in
      try connection.beginHTTP2()
      while true {
        let stream = try connection.readHTTP2Request()
        let number = count.withLock { count in
          count += 1
          return count
        }
        guard number == 2 else {
          try connection.send([.head(stream: stream, ends: true)])
          continue
        }
        switch end {
        case .close: return
        case .breach: try connection.send([HTTP2Frame(.ping, [0])])
        // Streams that were not looked at (RFC 9113, section 8.7).
        case .refusal: try connection.send([.reset(stream: stream, error: 7)])
        case .goAwayBefore: try connection.send([.goAway(last: stream - 2)])
        }
      }
    }
    let front = try await TLSFront.start(before: server.port)
    var configuration = TransferEngineConfiguration()
    configuration.proxy = .direct
    configuration.tls.caFile = try await TestCertificates.shared.authority.path
    let engine = TransferEngine(configuration: configuration)
    #expect(try await engine.get(front.url().absoluteString).failure == nil)
    var request = TransferRequest(url: front.url().absoluteString, method: method)
    if let body { request.body = .data(Data(body.utf8)) }
    return (try await engine.run(request), count.withLock { $0 })
  }

  @Test(arguments: [End.close, .breach], [nil, "", "a body"])
  func aPostOverHTTP2IsSentOnce(end: End, body: String?) async throws {
    let (state, count) = try await run("POST", end, body: body)
    let failure = try #require(state.failure)
    // libcurl has an error of its own for the other.
    if end == .breach { #expect(failure.reason == .notRepeated(method: "POST"), "\(failure.message)") }
    #expect(failure.urlErrorCode.rawValue == -1005)
    #expect(count == 2)
  }

  @Test(arguments: [End.breach, .refusal], ["GET", "DELETE"])
  func whatIsIdempotentIsSentAgainOverHTTP2(end: End, method: String) async throws {
    let (state, count) = try await run(method, end, body: nil)
    #expect(state.failure == nil, "\(String(describing: state.failure))")
    #expect(count == 3)
  }

  /// These streams were not looked at; but libcurl does not tell the engine so.
  @Test(arguments: [End.refusal, .goAwayBefore], [nil, "", "a body"])
  func aPostThatWasRefusedOverHTTP2IsLeftToTheCaller(end: End, body: String?) async throws {
    let (state, count) = try await run("POST", end, body: body)
    #expect(state.failure?.urlErrorCode.rawValue == -1005, "\(String(describing: state.failure))")
    #expect(count == 2)
  }
}
