import Foundation
import Testing

@testable import URLLoading

/// What is sent of an upload's body, and when another stream is needed.
@Suite struct UploadStageTests {
  private func request(stream: InputStream? = nil, body: Data? = nil) -> URLRequest {
    var request = URLRequest(url: URL(fileURLWithPath: "/"))
    if let body { request.httpBody = body }
    if let stream { request.httpBodyStream = stream }
    return request
  }

  @Test func anAttemptForTheSameRequestHasItsStream() {
    let (stream, other) = (InputStream(data: Data("a".utf8)), InputStream(data: Data()))
    var stage = UploadStage(.stream(stream))
    // A class may have read it from the request.
    #expect(stage.sendsAgain()?.stream === stream)
    _ = stage.handOn()
    #expect(stage.sendsAgain()?.stream === stream)
    // It is not used up any more.
    let request = request(stream: stream)
    #expect(stage.redirected(to: request, from: request) == false)
    stage.replace(with: .stream(other))
    #expect(stage.sendsAgain()?.stream === other)
    var data = UploadStage(.data(Data("a".utf8)))
    #expect(data.sendsAgain()?.stream == nil)
  }

  @Test func aRedirectNeedsAnotherStreamWhereThisOneWasRead() {
    let stream = InputStream(data: Data("a".utf8))
    let request = request(stream: stream)
    var stage = UploadStage(.stream(stream))
    #expect(stage.redirected(to: request, from: request) == false)
    _ = stage.handOn()
    #expect(stage.redirected(to: request, from: request) == true)
    #expect(stage.redirected(to: self.request(stream: InputStream(data: Data())), from: request) == false)
  }

  @Test func aRedirectMayDropTheBody() {
    var stage = UploadStage(.data(Data("a".utf8)))
    #expect(stage.redirected(to: request(), from: request(body: Data("a".utf8))) == false)
    #expect(stage.expectedLength(of: request()) == 0)
    #expect(stage.redirected(to: request(body: Data("bc".utf8)), from: request()) == false)
    #expect(stage.expectedLength(of: request()) == 2)
  }

  @Test func aPartBeginsSomewhereInTheWhole() {
    var stage = UploadStage(.none)
    #expect(stage.isBeginning && stage.firstByte == 0)
    let whole = UploadBody(.data(Data("abcd".utf8)))
    stage.invite(UploadLoad(machine: ResumableUpload(length: 4), body: whole, request: request()))
    #expect(stage.isBeginning && stage.expectedLength(of: request()) == 4)
    stage.send(.data(Data("cd".utf8)), from: 2)
    #expect(stage.firstByte == 2)
    #expect(stage.withdraw() == true)
    #expect(stage.withdraw() == false)
    #expect(stage.firstByte == 0)
  }

  @Test func theInterruptionIsKept() {
    var stage = UploadStage(.none)
    let without = stage.feed(interruption: URLError(.timedOut)) { $0.interrupted(at: Date()) }
    #expect(without == nil)
    let whole = UploadBody(.data(Data("abcd".utf8)))
    stage.invite(UploadLoad(machine: ResumableUpload(length: 4), body: whole, request: request()))
    _ = stage.feed(interruption: URLError(.timedOut)) { $0.interrupted(at: Date()) }
    #expect((stage.resumable?.interruption as? URLError)?.code == .timedOut)
  }

  @Test func theDelegateIsAskedUntilItHasAnswered() {
    var stage = UploadStage(.none)
    stage.askLeave()
    #expect(!stage.asksLeave)
    let whole = UploadBody(.data(Data("abcd".utf8)))
    stage.invite(UploadLoad(machine: ResumableUpload(length: 4), body: whole, request: request()))
    stage.askLeave()
    #expect(stage.asksLeave)
    stage.leaveIsDecided()
    #expect(!stage.asksLeave)
  }
}
