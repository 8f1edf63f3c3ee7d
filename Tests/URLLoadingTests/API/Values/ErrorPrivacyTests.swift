import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Programs log `localizedDescription`: it has nothing of the failing URL's query, which often has a key.
@Suite(.timeLimit(.minutes(4))) struct ErrorPrivacyTests {
  private static let secret = "5ecret"
  private static let query = "?api_key=\(secret)#\(secret)"

  private static func failures() async throws -> [(String, LoadRecord, URL)] {
    var found: [(String, LoadRecord, URL)] = []
    func load(
      _ what: String, _ url: URL, _ kind: TaskKind = .dataDelegate, change: (inout URLRequest) -> Void = { _ in }
    )
      async
    {
      var request = URLRequest(url: url)
      change(&request)
      let session = RecordedSession { $0.timeoutIntervalForRequest = 3 }
      found.append((what, await session.load(request, by: kind), url))
    }
    let refusing = URL(string: "http://127.0.0.1:\(try FreePort.pick())/a\(query)") ?? "x:"
    for kind in TaskKind.allCases { await load("refused", refusing, kind) }
    let silent = try ScriptedServer.silent()
    await load("timeout", silent.url("/a\(query)")) { $0.timeoutInterval = 0.2 }
    let cut = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
    }
    await load("cut", cut.url("/a\(query)"))
    let garbage = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send("HTTP/1.1 200 OK\r\nno colon\r\n\r\n")
    }
    await load("garbage", garbage.url("/a\(query)"))
    let redirects = try ScriptedServer.http { request in
      .redirect(
        to: request.path == "/scheme"
          ? "x-unknown://h/\(query)" : request.path == "/bad" ? "http://[\(query)" : "/loop\(query)")
    }
    await load("redirect to a scheme", redirects.url("/scheme\(query)"))
    await load("redirect to no URL", redirects.url("/bad\(query)"))
    await load("redirects without end", redirects.url("/loop\(query)"))
    await load("unknown scheme", URL(string: "x-unknown://host/\(query)") ?? "x:")
    await load("no host", URL(string: "http:///a\(query)") ?? "x:")
    await load("no FTP", URL(string: "ftp://127.0.0.1:\(try FreePort.pick())/a\(query)") ?? "x:")
    await load("method", URL(string: "data:,x\(query)") ?? "x:") { $0.httpMethod = "PUT" }
    await load("no file", URL(string: "file:///nowhere/at/all\(query)") ?? "x:")
    return found
  }

  @Test func messagesHaveNothingOfTheQuery() async throws {
    for (what, record, url) in try await Self.failures() {
      let error = try #require(record.error as? URLError, "\(what)")
      let message = error.localizedDescription
      #expect(!message.contains(Self.secret) && !message.contains("api_key"), "\(what): \(message)")
      #expect(!message.isEmpty && error.failingURL != nil, "\(what)")
      let underlying = error.userInfo[NSUnderlyingErrorKey] as? any Error
      #expect(underlying?.localizedDescription.contains(Self.secret) != true, "\(what)")
      if !what.hasPrefix("redirect") { #expect(error.failingURL == url.absoluteURL, "\(what)") }
    }
  }

  @Test func webSocketsNameTheirOwnURLUnderItsKeyAlone() async throws {
    let refused = URL(string: "ws://127.0.0.1:\(try FreePort.pick())/a\(Self.query)") ?? "x:"
    let server = try ScriptedServer.http { _ in HTTPResponse(404, text: "no") }
    for url in [refused, server.url("/a\(Self.query)", scheme: "ws")] {
      let session = RecordedSession()
      let task = session.session.webSocketTask(with: url)
      let record = await session.run(task)
      let error = try #require(record.error as? URLError)
      #expect(error.failingURL == url)
      #expect(!error.localizedDescription.contains(Self.secret), "\(error.localizedDescription)")
      let received = await #expect(throws: URLError.self) { _ = try await task.receive() }
      #expect(received?.failingURL == url)
    }
  }

  @Test(arguments: [
    ("http://host/a?b=c", "http://host/a?…"), ("http://host/a#b", "http://host/a#…"),
    ("http://u:p@host/a?b=c#d", "http://u:***@host/a?…"), ("http://host/a", "http://host/a"),
    ("archive://https%3A%2F%2Fh%2Fx.zip%3Fkey%3Dsecret/a/b?c=secret", "archive://https%3A%2F%2Fh%2Fx.zip%3F…/a/b?…"),
    (
      "archive://archive%3A%2F%2Fhttps%253A%252F%252Fh%252Fx.zip%253Fkey%253Dsecret%2Fi.zip/a",
      "archive://archive%3A%2F%2Fhttps%253A%252F%252Fh%252Fx.zip%253F…/a"
    ),
    ("archive:https://h/x.zip?key=secret!/a", "archive:https://h/x.zip?…"),
    ("file:///a%3Fb", "file:///a%3Fb"), ("?secret", "?…"), ("", ""),
  ])
  func aURLInAMessageHasNoQuery(_ given: String, _ shown: String) {
    #expect(URL.redactedDescription(of: given) == shown)
  }
}
