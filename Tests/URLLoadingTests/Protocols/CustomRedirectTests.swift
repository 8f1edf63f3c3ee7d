import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@Suite(.timeLimit(.minutes(4))) struct CustomRedirectTests {
  private static func redirecting(
    to url: URL, bodyFollows: Bool = false, then: @escaping @Sendable (FakeProtocol) -> Void = { _ in }
  ) -> Fake {
    Fake { instance in
      instance.redirect(to: url, bodyFollows: bodyFollows)
      then(instance)
    }
  }

  @Test(arguments: TaskKind.allCases) func redirectsAreFollowed(_ kind: TaskKind) async {
    let target = Fake(["tar", "get"])
    let fake = Self.redirecting(to: target.url("/there"))
    let record = await RecordedSession.fake().load(fake.url(), by: kind)
    #expect(record.text == "target")
    #expect(record.response?.url == target.url("/there"))
    #expect(record.completions == 1)
    #expect(await fake.waitForStops())
    #expect(await target.waitForStops())
    #expect(fake.seen.value.stops == 1 && target.seen.value.stops == 1)
  }

  @Test(arguments: TaskKind.allCases) func redirectsLeadToHTTP(_ kind: TaskKind) async throws {
    let fake = Self.redirecting(to: try await NginxServer.shared.url("/small.txt"))
    #expect(await RecordedSession.fake().load(fake.url(), by: kind).body == DocumentRoot.small)
  }

  @Test(arguments: TaskKind.allCases) func aProtocolMayFailItselfAfterTheRedirect(_ kind: TaskKind) async {
    let target = Fake(["target"])
    // Apple's documentation has instances do this after they reported a redirect.
    let fake = Self.redirecting(to: target.url()) { $0.fail(CocoaError(.userCancelled)) }
    let record = await RecordedSession.fake().load(fake.url(), by: kind)
    #expect(record.text == "target")
    #expect(record.error == nil)
  }

  @Test(arguments: [TaskKind.dataDelegate, .downloadDelegate]) func theDelegateIsAsked(_ kind: TaskKind) async {
    let target = Fake(["target"])
    let fake = Self.redirecting(to: target.url())
    let record = await RecordedSession.fake().load(fake.url(), by: kind)
    #expect(record.redirects.count == 1)
    #expect(record.redirects.first?.request.url == target.url())
    #expect(record.text == "target")
  }

  @Test(arguments: TaskKind.allCases) func aRefusedRedirectIsTheResult(_ kind: TaskKind) async {
    let target = Fake(["target"])
    let fake = Self.redirecting(to: target.url())
    let record = await RecordedSession.fake(LoadRecorder(onRedirect: { _, _ in nil })).load(fake.url(), by: kind)
    #expect(record.error == nil)
    #expect(record.response?.url == fake.url())
    #expect(record.body.isEmpty)
    #expect(target.seen.value.requests.isEmpty)
    #expect(await fake.waitForStops())
  }

  @Test(arguments: TaskKind.allCases) func aRefusedRedirectHasItsBody(_ kind: TaskKind) async {
    let fake = Self.redirecting(to: URL(string: "fake://nowhere/")!, bodyFollows: true) { instance in
      instance.respond()
      instance.send(Data("moved".utf8))
      instance.finish()
    }
    let record = await RecordedSession.fake(LoadRecorder(onRedirect: { _, _ in nil })).load(fake.url(), by: kind)
    #expect(record.text == "moved" && record.error == nil)
  }

  @Test func aLoopEnds() async {
    let fake = Fake { instance in
      if let url = instance.request.url { instance.redirect(to: url) }
    }
    let record = await RecordedSession.fake().load(fake.url())
    #expect(record.code == .httpTooManyRedirects)
    #expect(fake.seen.value.requests.count == 17)
    #expect(await fake.waitForStops(17))
  }

  @Test(arguments: ["http", "fake"]) func aRefusalTellsOfTheRedirectAndItsEnds(_ origin: String) async throws {
    let file = try TemporaryDirectory().write("private", "private")
    for target in [file.absoluteString, "data:,private", "ftp://127.0.0.1/private", "x-unknown://private/"] {
      let server = try ScriptedServer.http { _ in .redirect(to: target) }
      let fake = Fake { instance in URL(string: target).map { instance.redirect(to: $0) } }
      let start = origin == "http" ? server.url("/start") : fake.url("/start")
      let record = await RecordedSession.fake().load(start)
      #expect(record.code == .unsupportedURL && record.body.isEmpty && record.completions == 1)
      let message = record.error?.localizedDescription ?? ""
      #expect(message.contains("redirect from \(start.absoluteString) leads to \(target)"), "\(message)")
      #expect((record.error as? URLError)?.failingURL?.absoluteString == target)
      if target.hasPrefix("x-unknown") {
        #expect(message.contains("no registered protocol class loads the scheme \"x-unknown\""), "\(message)")
      } else {
        #expect(message.contains("delegate"), "\(message)")
      }
    }
  }

  @Test func theNetworkCannotLeadToAClassThatDidNotAgree() async throws {
    let fake = Fake(["private"])
    let server = try ScriptedServer.http { _ in .redirect(to: fake.url().absoluteString) }
    let record = await RecordedSession.fake().load(server.url())
    #expect(record.code == .unsupportedURL)
    #expect(fake.seen.value.requests.isEmpty)
    // A delegate that gives the request itself vouches for it.
    let vouching = LoadRecorder(onRedirect: { _, _ in URLRequest(url: fake.url("/vouched")) })
    #expect(await RecordedSession.fake(vouching).load(server.url()).text == "private")
  }
}
