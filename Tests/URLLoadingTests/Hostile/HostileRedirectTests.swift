import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Redirects that must not be followed, or have no end.
@Suite(.timeLimit(.minutes(4))) struct HostileRedirectTests {
  private static func redirecting(to location: String) throws -> ScriptedServer {
    try .http { request in
      request.path == "/good" ? HTTPResponse(text: "good") : .redirect(to: location)
    }
  }

  @Test(
    arguments: [
      "file:///etc/passwd", "FILE:///etc/passwd", "data:,hello", "ftp://127.0.0.1/x", "x-unknown:hello",
      "javascript:alert(1)", "about:blank",
    ], LoadKind.allCases)
  func aRedirectToAnotherSchemeIsRefused(_ location: String, _ kind: LoadKind) async throws {
    let server = try Self.redirecting(to: location)
    // One without a delegate decides by itself; the recorder follows whatever it is offered.
    let client = RecordedSession()
    let record = await client.load(server.url("/start"), as: kind)
    #expect(record.code == .unsupportedURL && record.completions == 1, "\(String(describing: record.error))")
    let scheme = try #require(location.split(separator: ":").first)
    let message = record.error?.localizedDescription.lowercased() ?? ""
    #expect(message.contains("\"\(scheme.lowercased())\"") || message.contains(location.lowercased()), "\(message)")
    #expect(record.body.isEmpty)
    #expect(await client.load(server.url("/good"), as: kind).text == "good")
    #expect(await server.stop())
  }

  @Test func aDelegateMayFollowARedirectToAnotherSchemeOnPurpose() async throws {
    let server = try Self.redirecting(to: "https://example.invalid/")
    let client = RecordedSession(
      LoadRecorder(onRedirect: { _, _ in URL(string: "data:,hello").map { URLRequest(url: $0) } }))
    let record = await client.load(server.url())
    #expect(record.error == nil && record.text == "hello")
  }

  @Test(arguments: LoadKind.allCases)
  func aRedirectLoopEndsAfterSixteen(_ kind: LoadKind) async throws {
    let server = try Self.redirecting(to: "/again")
    let client = RecordedSession()
    let record = await client.load(server.url("/start"), as: kind)
    #expect(record.code == .httpTooManyRedirects && record.completions == 1)
    #expect(record.error?.localizedDescription.contains(server.url("/again").absoluteString) == true)
    #expect(server.requests.count == 17)
    #expect(await client.load(server.url("/good"), as: kind).text == "good")
    #expect(await server.stop())
  }

  @Test(
    arguments: ["http://", "http:///path", "//", "http://[::1", "http://a b/", "https://:99999/"], LoadKind.allCases)
  func aLocationThatIsNoURLIsAnError(_ location: String, _ kind: LoadKind) async throws {
    let server = try Self.redirecting(to: location)
    let client = RecordedSession()
    let record = await client.load(server.url("/start"), as: kind)
    #expect(record.error is URLError && record.completions == 1, "\(location): \(record.text)")
    #expect(await client.load(server.url("/good"), as: kind).text == "good")
    #expect(await server.stop())
  }

  @Test(arguments: LoadKind.allCases)
  func aRedirectWithoutALocationIsTheResult(_ kind: LoadKind) async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(302, text: "nowhere") }
    let record = await RecordedSession().load(server.url(), as: kind)
    #expect(record.status == 302 && record.text == "nowhere" && record.error == nil)
  }

  @Test func anEndlessBodyOfARedirectIsNotRead() async throws {
    let sent = Watched(0)
    let server = try ScriptedServer { connection in
      while let request = try connection.readRequestHead() {
        guard request.path != "/good" else {
          try connection.send(HTTPResponse(text: "good"))
          continue
        }
        try connection.send("HTTP/1.1 302 Found\r\nLocation: /good\r\n\r\n")
        let piece = Data(repeating: 0x61, count: 65_536)
        while sent.value < 1 << 30 {
          try connection.send(piece)
          sent.update { $0 += piece.count }
        }
      }
    }
    let record = await RecordedSession().load(server.url("/start"))
    #expect(record.text == "good")
    #expect(sent.value < 32 << 20, "\(sent.value) bytes were sent")
  }

  @Test(.timeLimit(.minutes(4)))
  func theBodyOfARedirectWaitsForTheDelegateInTheConnection() async throws {
    let sent = Watched(0)
    let isFull = AsyncEvent()
    let total = 64 << 20
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: \(total)\r\n\r\n")
      let piece = Data(repeating: 0x61, count: 65_536)
      while sent.value < total {
        try connection.send(piece)
        sent.update { $0 += piece.count }
      }
      isFull.signal()
    }
    let wasRead = Watched(false)
    let client = RecordedSession(
      LoadRecorder(onRedirect: { _, _ in
        // Time for the server to send everything, if anybody took it.
        wasRead.update { $0 = isFull.waitBlocking(timeout: .seconds(1)) }
        return nil
      }))
    let record = await client.load(server.url())
    #expect(!wasRead.value, "the body was read into memory while the delegate decided")
    #expect(record.status == 302 && record.body.count == total && record.error == nil)
  }
}
