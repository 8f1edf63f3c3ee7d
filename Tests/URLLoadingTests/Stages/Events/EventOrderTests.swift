import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Which events a load has, and in which order.
@Suite(.timeLimit(.minutes(4))) struct EventOrderTests {
  private let recorder = EventRecorder()

  @Test func aLoad() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "x") }
    let session = recorder.session()
    _ = try await session.data(from: server.url("/a"))
    #expect(
      recorder.events() == [
        "begin", "choose /a", "enter queue", "leave queue", "lookup", "connect", "send", "response 200",
        "finish network 200", "end",
      ])
    _ = try await session.data(from: server.url("/b"))
    #expect(recorder.events(of: 2).contains("reuse") && !recorder.events(of: 2).contains("connect"))
    let intervals = recorder.log.value.intervals
    let (lookup, connect) = (try #require(intervals["lookup"]), try #require(intervals["connect"]))
    #expect(lookup.end <= connect.end && connect.duration < 30)
  }

  @Test func encryptionIsAnEventOfItsOwn() async throws {
    let server = try await NginxServer.shared
    let certificates = try await TestCertificates.shared
    let session = recorder.session { $0.certificateAuthorityFile = certificates.authority }
    _ = try await session.data(from: server.url(on: .https))
    let events = recorder.events()
    #expect(events.contains("secure"))
    #expect(
      events.filter { ["lookup", "connect", "secure", "send"].contains($0) } == ["lookup", "connect", "secure", "send"])
  }

  @Test func aRedirect() async throws {
    let server = try await NginxServer.shared
    _ = try await recorder.session().data(from: server.url("/redirect/302?to=/small.txt"))
    #expect(
      recorder.steps() == [
        "begin", "choose /redirect/302", "send", "redirect /small.txt", "finish network 302", "choose /small.txt",
        "send", "response 200", "finish network 200", "end",
      ])
  }

  @Test func aRefusedRedirect() async throws {
    final class Refusing: NSObject, URLSessionTaskDelegate {
      func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
      ) { completionHandler(nil) }
    }
    let server = try await NginxServer.shared
    _ = try await recorder.session(delegate: Refusing()).data(from: server.url("/redirect/302?to=/small.txt"))
    #expect(
      recorder.steps() == [
        "begin", "choose /redirect/302", "send", "redirect refused", "response 302", "finish network 302", "end",
      ])
  }

  @Test func failures() async throws {
    let port = try FreePort.pick()
    let session = recorder.session()
    _ = try? await session.data(from: try #require(URL(string: "http://127.0.0.1:\(port)/x")))
    #expect(recorder.steps() == ["begin", "choose /x", "finish network none", "end failed -1004"])
    _ = try? await session.data(from: URL(stringLiteral: "odd:x"))
    #expect(recorder.events(of: 2) == ["begin", "end failed -1002"])
  }

  @Test func aBrokenBody() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
    }
    _ = try? await recorder.session().data(from: server.url("/x"))
    #expect(
      recorder.steps() == ["begin", "choose /x", "send", "response 200", "finish network 200", "end failed -1005"])
  }

  @Test func informationalResponses() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
    }
    _ = try await recorder.session().data(from: server.url("/x"))
    let wanted = recorder.steps().filter { $0.hasPrefix("informational") || $0.hasPrefix("response") }
    #expect(wanted == ["informational 103", "response 200"])
  }

  /// Has the user and the password of ``AuthServer``.
  private final class Answering: NSObject, URLSessionTaskDelegate {
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      let credential = URLCredential(user: AuthServer.user, password: AuthServer.password, persistence: .none)
      completionHandler(.useCredential, credential)
    }
  }

  @Test func anAnsweredChallenge() async throws {
    let server = try await AuthServer.shared
    _ = try await recorder.session(delegate: Answering()).data(from: server.url("/basic"))
    #expect(
      recorder.steps() == [
        "begin", "choose /basic", "send", "challenge", "answer \(AuthServer.user)", "finish network 401", "send",
        "response 200", "finish network 200", "end",
      ])
    let transactions = try #require(recorder.log.value.metrics[1]).transactionMetrics
    #expect(transactions.map { ($0.response as? HTTPURLResponse)?.statusCode } == [401, 200])
  }

  @Test func anUnansweredChallenge() async throws {
    let server = try await AuthServer.shared
    _ = try await recorder.session().data(from: server.url("/basic"))
    #expect(
      recorder.steps() == [
        "begin", "choose /basic", "send", "challenge", "answer -", "response 401", "finish network 401", "end",
      ])
  }

  @Test func otherSchemes() async throws {
    let session = recorder.session()
    _ = try await session.data(from: URL(stringLiteral: "data:,x"))
    #expect(recorder.steps().first == "begin" && recorder.steps().last == "end")
    #expect(recorder.steps().contains("response other") && recorder.steps().contains("finish network other"))
  }

  @Test func bodiesForWhoWantsThem() async throws {
    let recorder = EventRecorder(wantsBodies: true)
    let fake = Fake(["one ", "two ", "three"])
    _ = try await recorder.session().data(from: fake.url())
    #expect(recorder.log.value.bodies == Data("one two three".utf8))
    #expect(
      recorder.events() == [
        "begin", "choose /", "response other", "body", "body", "body", "finish network other", "end",
      ])
  }

  @Test func aTaskThatBecomesADownload() async throws {
    final class Becoming: NSObject, URLSessionDataDelegate {
      func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
      ) { completionHandler(.becomeDownload) }
    }
    let fake = Fake(["body"])
    let session = recorder.session(delegate: Becoming())
    session.dataTask(with: fake.url()).resume()
    // The download goes on under another number.
    #expect(await recorder.log.wait { $0.events.values.contains { $0.contains("end") } })
    // The instance may be done before the delegate has answered.
    #expect(
      recorder.events().filter { $0 != "finish network other" } == ["begin", "choose /", "response other", "become 2"])
    #expect(recorder.events(of: 2).last == "end")
    #expect((recorder.events() + recorder.events(of: 2)).count { $0 == "finish network other" } == 1)
  }

  @Test func withoutAListenerNothingIsMade() {
    let task = URLSession(configuration: .ephemeral).dataTask(with: URL(stringLiteral: "data:,x"))
    #expect(task.load.events == nil)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.sessionEventListener = recorder
    let copy = configuration.copy() as? URLSessionConfiguration
    #expect(copy?.sessionEventListener as? EventRecorder === recorder)
  }
}
