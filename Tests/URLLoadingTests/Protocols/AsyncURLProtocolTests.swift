import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@Suite(.timeLimit(.minutes(4))) struct AsyncURLProtocolTests {
  /// What an instance does is in its URL's host.
  final class Scheme: AsyncURLProtocol, @unchecked Sendable {
    static let cancelled = Watched<Set<String>>([])
    static let written = Watched<[String: Int]>([:])

    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "async" }

    override func load(_ request: URLRequest, to writer: Writer) async throws {
      let path = request.url?.path ?? ""
      switch request.url?.host() {
      case "hello":
        try await writer.respond(mimeType: "text/plain", length: 5)
        try await writer.write(Data("he".utf8))
        try await writer.write(Data("llo".utf8))
      case "nothing": break
      case "throws":
        try await writer.respond(mimeType: nil)
        throw URLError(.resourceUnavailable)
      case "redirect":
        try await writer.redirect(
          to: URLRequest(url: URL(stringLiteral: "async://hello/")),
          response: URLResponse(
            url: request.url ?? "async://redirect/", mimeType: nil, expectedContentLength: 0, textEncodingName: nil))
      case "waits":
        try await writer.respond(mimeType: nil)
        do { try await Task.sleep(for: .seconds(30)) } catch {
          Self.cancelled.update { _ = $0.insert(path) }
          throw error
        }
      case "challenge":
        let space = URLProtectionSpace(
          host: "x", port: 0, protocol: nil, realm: nil, authenticationMethod: NSURLAuthenticationMethodDefault)
        let credential = try await writer.challenge(space)
        try await writer.respond(mimeType: nil)
        try await writer.write(Data((credential?.user ?? "nobody").utf8))
      case "refuses":
        let place = "refuses.async"
        let space = URLProtectionSpace(
          host: place, port: 0, protocol: nil, realm: nil, authenticationMethod: NSURLAuthenticationMethodDefault)
        _ = try await writer.challenge(space)
        let url = request.url ?? "async://refuses/"
        let refusal = URLResponse(url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
        _ = try await writer.challenge(space, previousFailureCount: 1, failureResponse: refusal)
        throw URLError(.userAuthenticationRequired)
      case "endless":
        try await writer.respond(mimeType: nil)
        while true {
          try await writer.write(Data(count: 64 << 10))
          Self.written.update { $0[path, default: 0] += 64 << 10 }
        }
      default: break
      }
    }
  }

  private func session(_ recorder: LoadRecorder = LoadRecorder()) -> RecordedSession {
    RecordedSession(recorder) { $0.protocolClasses = [Scheme.self] }
  }

  @Test(arguments: TaskKind.allCases) func aFunctionLoadsForEveryKindOfTask(_ kind: TaskKind) async {
    let record = await session().load("async://hello/" as URL, by: kind)
    #expect(record.text == "hello" && record.error == nil)
    #expect(record.response?.expectedContentLength == 5)
  }

  @Test func returningWithoutAResponseIsAnError() async {
    #expect(await session().load("async://nothing/" as URL).code == .badServerResponse)
  }

  @Test func whatItThrowsIsTheError() async {
    let record = await session().load("async://throws/" as URL)
    #expect(record.code == .resourceUnavailable && record.response != nil)
  }

  @Test(arguments: TaskKind.allCases) func itsRedirectsAreFollowed(_ kind: TaskKind) async {
    #expect(await session().load("async://redirect/" as URL, by: kind).text == "hello")
  }

  @Test func itsRefusedRedirectIsTheResult() async {
    let record = await session(LoadRecorder(onRedirect: { _, _ in nil })).load("async://redirect/" as URL)
    #expect(record.response?.url?.host() == "redirect" && record.error == nil && record.completions == 1)
  }

  @Test func itsChallengeIsAnswered() async {
    let answering = LoadRecorder(onChallenge: { _ in
      (.useCredential, URLCredential(user: "me", password: "x", persistence: .none))
    })
    #expect(await session(answering).load("async://challenge/" as URL).text == "me")
    #expect(await session().load("async://challenge/" as URL).text == "nobody")
  }

  /// A second challenge says that the first answer was wrong, with whatever response.
  @Test func aRefusedCredentialIsNotKept() async throws {
    let recorder = LoadRecorder(onChallenge: { _ in
      (.useCredential, URLCredential(user: "me", password: "wrong", persistence: .forSession))
    })
    let client = session(recorder)
    #expect(await client.load("async://refuses/" as URL).code == .userAuthenticationRequired)
    let storage = try #require(client.session.configuration.urlCredentialStorage)
    let kept = storage.allCredentials.filter { $0.key.host == "refuses.async" }
    #expect(kept.isEmpty)
  }

  @Test func cancellingTheTaskCancelsTheFunction() async throws {
    let session = session()
    let path = "/\(UUID())"
    let task = session.session.dataTask(with: try #require(URL(string: "async://waits\(path)")))
    task.resume()
    #expect(await session.recorder.records.wait { $0[task.taskIdentifier]?.response != nil })
    task.cancel()
    #expect(await Scheme.cancelled.wait { $0.contains(path) })
    #expect(await session.run(task).code == .cancelled)
  }

  @Test func writesWaitForASlowReader() async throws {
    let session = session()
    let path = "/\(UUID())"
    let (bytes, _) = try await session.session.bytes(from: try #require(URL(string: "async://endless\(path)")))
    #expect(await Scheme.written.wait { $0[path, default: 0] >= 900_000 })
    #expect(await !Scheme.written.wait(timeout: .milliseconds(300)) { $0[path, default: 0] > 2 << 20 })
    var count = 0
    for try await _ in bytes {
      count += 1
      if count == 2 << 20 { break }
    }
    #expect(await Scheme.written.wait { $0[path, default: 0] >= 2_500_000 })
    withExtendedLifetime(bytes) {}
  }
}
