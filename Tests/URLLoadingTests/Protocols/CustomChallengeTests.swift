import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@Suite(.timeLimit(.minutes(4))) struct CustomChallengeTests {
  /// Takes the answer to its challenge, and sends it as the body.
  final class Asking: FakeProtocol, @unchecked Sendable, URLAuthenticationChallengeSender {
    override func startLoading() {
      Fake.find(request)?.seen.update { $0.requests.append(request) }
      ask(failures: 0)
    }

    private func ask(failures: Int) {
      let space = URLProtectionSpace(
        host: "fake", port: 1, protocol: "fake", realm: "realm", authenticationMethod: NSURLAuthenticationMethodDefault)
      client?.urlProtocol(
        self,
        didReceive: URLAuthenticationChallenge(
          protectionSpace: space, proposedCredential: nil, previousFailureCount: failures, failureResponse: nil,
          error: nil, sender: self))
      // An instance that goes on before it is answered: the load keeps what it sends after the answer.
      if request.url?.path == "/eager" { answer("eager") }
    }

    private func answer(_ text: String) {
      respond()
      send(Data(text.utf8))
      finish()
    }

    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
      if credential.password == "right" { return answer("\(credential.user ?? "")") }
      ask(failures: challenge.previousFailureCount + 1)
    }
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) { answer("without") }
    func cancel(_ challenge: URLAuthenticationChallenge) { fail(URLError(.userCancelledAuthentication)) }
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {
      if request.url?.path != "/eager" { answer("default") }
    }
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) { answer("rejected") }
  }

  private let fake = Fake { _ in }

  private func load(
    _ path: String = "/", by kind: TaskKind = .dataDelegate,
    _ answer: @escaping @Sendable (URLAuthenticationChallenge) -> LoadRecorder.ChallengeAnswer
  ) async -> LoadRecord {
    let session = RecordedSession(LoadRecorder(onChallenge: answer)) { $0.protocolClasses = [Asking.self] }
    return await session.load(fake.url(path), by: kind)
  }

  @Test(arguments: TaskKind.allCases) func theDelegatesCredentialReachesTheInstance(_ kind: TaskKind) async {
    let record = await load(by: kind) { challenge in
      let password = challenge.previousFailureCount == 2 ? "right" : "wrong"
      return (.useCredential, URLCredential(user: "me", password: password, persistence: .none))
    }
    #expect(record.text == "me")
    if kind == .dataDelegate { #expect(record.challenges.map(\.previousFailureCount) == [0, 1, 2]) }
  }

  @Test func everyDispositionReachesTheInstance() async {
    #expect(await load { _ in (.useCredential, nil) }.text == "without")
    #expect(await load { _ in (.performDefaultHandling, nil) }.text == "default")
    #expect(await load { _ in (.rejectProtectionSpace, nil) }.text == "rejected")
    #expect(await load { _ in (.cancelAuthenticationChallenge, nil) }.code == .cancelled)
    #expect(await fake.waitForStops(4))
  }

  /// The answer comes at every moment of what the instance sends.
  @Test func anInstanceThatDoesNotWaitIsHeldBehindTheAnswer() async {
    for round in 0..<300 {
      let record = await load("/eager") { _ in
        for _ in 0..<(round % 60) * 40 { _ = Task.isCancelled }
        return (.performDefaultHandling, nil)
      }
      #expect(record.events.first == "challenge")
      #expect(record.text == "eager" && record.completions == 1)
    }
  }

  @Test func withoutADelegateTheDefaultIsTaken() async throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [Asking.self]
    let session = URLSession(configuration: configuration)
    defer { session.invalidateAndCancel() }
    let (data, _) = try await session.data(from: fake.url())
    #expect(data == Data("default".utf8))
  }

  @Test func theCredentialOfTheURLGoesFirst() async throws {
    let url = try #require(URL(string: "fake://user:right@\(fake.host)/"))
    let session = RecordedSession { $0.protocolClasses = [Asking.self] }
    let record = await session.load(url)
    #expect(record.text == "user" && record.challenges.isEmpty)
  }

  @Test func aLateAnswerAfterACancelDoesNothing() async throws {
    let asked = Watched<(@Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)?>(nil)
    final class Keeping: NSObject, URLSessionTaskDelegate, Sendable {
      let asked: Watched<(@Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)?>
      init(_ asked: Watched<(@Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)?>) {
        self.asked = asked
      }
      func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
      ) {
        asked.update { $0 = completionHandler }
      }
    }
    let session = RecordedSession { $0.protocolClasses = [Asking.self] }
    let task = session.session.dataTask(with: fake.url())
    task.delegate = Keeping(asked)
    task.resume()
    #expect(await asked.wait { $0 != nil })
    task.cancel()
    let answer = try #require(asked.value)
    answer(.useCredential, URLCredential(user: "me", password: "right", persistence: .none))
    answer(.performDefaultHandling, nil)
    #expect(try await eventually { task.state == .completed })
    #expect((task.error as? URLError)?.code == .cancelled)
    #expect(await fake.waitForStops())
  }
}
