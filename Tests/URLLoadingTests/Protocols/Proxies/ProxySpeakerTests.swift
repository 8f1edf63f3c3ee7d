import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading
@testable import URLLoadingCurlTransport

/// What a proxy says of itself, until it has opened a tunnel (RFC 9110, section 9.3.6) or where it wants a login, is not the origin's.
@Suite(.timeLimit(.minutes(4))) struct ProxySpeakerTests {
  private static let hostile = """
    Set-Cookie: sid=EVIL; Secure; Path=/\r
    Set-Cookie: __Host-x=EVIL; Secure; Path=/\r
    Set-Cookie: plain=EVIL; Path=/\r\n
    """

  private let directory: TemporaryDirectory
  private let storage: HTTPCookieStorage

  init() throws {
    directory = try TemporaryDirectory("proxy-speaker")
    storage = HTTPCookieStorage(in: directory.file("data").path)
  }

  private func client(
    through proxy: ScriptedServer, _ recorder: LoadRecorder = LoadRecorder(),
    _ configure: (URLSessionConfiguration) -> Void = { _ in }
  ) -> RecordedSession {
    RecordedSession(recorder) {
      let url = "http://127.0.0.1:\(proxy.port)"
      $0.connectionProxyDictionary = [
        kCFNetworkProxiesHTTPProxy: url, kCFNetworkProxiesHTTPSProxy: url, kCFNetworkProxiesFTPProxy: url,
      ]
      $0.httpCookieStorage = storage
      configure($0)
    }
  }

  /// The cookies that are there for `localhost`, of this storage and of one that reads what is on the disk.
  private func cookies() async -> Set<String> {
    guard let url = URL(string: "https://localhost/") else { return [] }
    await withCheckedContinuation { done in storage.flush { done.resume() } }
    let stored = HTTPCookieStorage(in: directory.file("data").path)
    return [storage, stored].reduce(into: []) { all, storage in
      all.formUnion((storage.cookies(for: url) ?? []).map { "\($0.name)=\($0.value)" })
    }
  }

  private func setCookies(_ fields: [String]) throws {
    let url = try #require(URL(string: "https://localhost/"))
    for field in fields {
      storage.setCookies(
        HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": field], for: url), for: url, mainDocumentURL: nil)
    }
  }

  @Test(arguments: ["https", "wss", "ftp"], [true, false])
  func aRefusedTunnelSetsNothing(scheme: String, isKnownHost: Bool) async throws {
    let policy = isKnownHost ? "max-age=0" : "max-age=1000"
    let proxy = try ScriptedServer { connection in
      while try connection.readRequestHead() != nil {
        try connection.send(
          "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"p\"\r\n\(Self.hostile)Strict-Transport-Security: \(policy)\r\nContent-Length: 0\r\n\r\n"
        )
      }
    }
    let good = ["sid=good; Secure; Path=/", "__Host-x=good; Secure; Path=/"]
    try setCookies(good)
    if isKnownHost {
      storage.recordTransportSecurity("max-age=1000", from: "localhost", isSecure: true, isVerified: true)
    }
    let login = URLCredential(user: "u", password: "p", persistence: .forSession)
    let client = client(
      through: proxy,
      LoadRecorder(onChallenge: {
        $0.previousFailureCount == 0 ? (.useCredential, login) : (.performDefaultHandling, nil)
      }))
    let url = try #require(URL(string: "\(scheme)://localhost:1/x"))
    let task = scheme == "wss" ? client.session.webSocketTask(with: url) : client.session.dataTask(with: url)
    let record = await client.run(task)
    #expect(record.code == .userAuthenticationRequired, "\(String(describing: record.error))")
    // Whoever is asked sees what the proxy has said.
    let refusal = try #require(record.challenges.first?.failureResponse as? HTTPURLResponse)
    #expect(refusal.statusCode == 407 && refusal.value(forHTTPHeaderField: "Set-Cookie")?.contains("EVIL") == true)
    #expect(await cookies() == ["sid=good", "__Host-x=good"])
    #expect(storage.requiresSecureTransport(to: "localhost") == isKnownHost)
    #expect(client.session.configuration.urlCredentialStorage?.allCredentials.isEmpty == true)
  }

  /// Of what a proxy forwards its demand for a login alone is its own (RFC 9110, section 15.5.8).
  @Test(arguments: [true, false]) func aForwardingProxySpeaksIn407Alone(asksForLogin: Bool) async throws {
    let proxy = try ScriptedServer { connection in
      while let request = try connection.readRequestHead() {
        guard request.path.hasSuffix("/refused") else {
          try connection.send("HTTP/1.1 200 x\r\nSet-Cookie: plain=good; Path=/\r\nContent-Length: 0\r\n\r\n")
          continue
        }
        let wish = asksForLogin ? "Proxy-Authenticate: Basic realm=\"p\"\r\n" : ""
        try connection.send("HTTP/1.1 407 No\r\n\(wish)\(Self.hostile)Content-Length: 0\r\n\r\n")
      }
    }
    let client = client(through: proxy)
    let refused = await client.load(try #require(URL(string: "http://localhost:1/refused")))
    #expect(refused.status == 407 && refused.http?.value(forHTTPHeaderField: "Set-Cookie")?.contains("EVIL") == true)
    #expect(await cookies().isEmpty)
    #expect(await client.load(try #require(URL(string: "http://localhost:1/"))).status == 200)
    #expect(await cookies() == ["plain=good"])
  }

  /// Without a proxy a 407 is an answer as any other.
  @Test func anOriginsOwn407IsItsOwn() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(407, fields: ["Set-Cookie": "plain=good; Path=/"]) }
    let client = RecordedSession { $0.httpCookieStorage = storage }
    #expect(await client.load(try #require(URL(string: "http://localhost:\(server.port)/"))).status == 407)
    #expect(await cookies() == ["plain=good"])
  }

  @Test func aRefusalIsNotStoredForTheOrigin() async throws {
    let origin = try ScriptedServer.http { _ in HTTPResponse(text: "the origin's") }
    let proxy = try ScriptedServer.http { _ in
      HTTPResponse(407, fields: ["Cache-Control": "max-age=1000"], text: "the proxy's")
    }
    let cache = URLCache(memoryCapacity: 4 << 20, diskCapacity: 0)
    #expect(await client(through: proxy, LoadRecorder(), { $0.urlCache = cache }).load(origin.url()).status == 407)
    #expect(await RecordedSession { $0.urlCache = cache }.load(origin.url()).text == "the origin's")
  }

  /// Who answers behind a proxy shows that the proxy has accepted its login, whatever the answer.
  @Test func aLoginIsAcceptedByWhomItIsFor() async throws {
    let proxy = try ScriptedServer.http { request in
      request.fields["Proxy-Authorization"] == nil
        ? HTTPResponse(407, fields: ["Proxy-Authenticate": "Basic realm=\"p\""])
        : HTTPResponse(401, fields: ["WWW-Authenticate": "Basic realm=\"o\""])
    }
    let login = URLCredential(user: "u", password: "p", persistence: .forSession)
    let client = client(
      through: proxy,
      LoadRecorder(onChallenge: {
        $0.protectionSpace.isProxy() ? (.useCredential, login) : (.performDefaultHandling, nil)
      }))
    let record = await client.load(try #require(URL(string: "http://localhost:1/")))
    #expect(record.status == 401 && record.challenges.map { $0.protectionSpace.isProxy() } == [true, false])
    let kept = try #require(client.session.configuration.urlCredentialStorage?.allCredentials)
    #expect(kept.keys.map { $0.isProxy() } == [true])
  }

  /// What a proxy refuses says nothing of the login that the origin got.
  @Test func aLoginForTheOriginIsNotAcceptedByTheProxy() async throws {
    let proxy = try ScriptedServer.http { request in
      request.fields["Authorization"] == nil
        ? HTTPResponse(401, fields: ["WWW-Authenticate": "Basic realm=\"o\""]) : HTTPResponse(407)
    }
    let login = URLCredential(user: "u", password: "p", persistence: .forSession)
    let client = client(through: proxy, LoadRecorder(onChallenge: { _ in (.useCredential, login) }))
    #expect(await client.load(try #require(URL(string: "http://localhost:1/"))).status == 407)
    #expect(client.session.configuration.urlCredentialStorage?.allCredentials.isEmpty == true)
  }

  /// The program of a background session asks as well, of what the service has heard.
  @Test(arguments: [true, false]) func theServiceTellsWhoHasSpoken(isOfProxy: Bool) throws {
    let url = try #require(URL(string: "http://localhost/"))
    let response = HTTPURLResponse(
      url: url, statusCode: 407, httpVersion: "HTTP/1.1", fields: [("Set-Cookie", "a=b")], isOfProxy: isOfProxy)
    let list = response.nestedList
    for copy in [BackgroundValues.response(BackgroundValues.data(of: response)), URLResponse.nested(list)] {
      let copy = try #require(copy as? HTTPURLResponse)
      #expect((copy.speaker == .proxy) == isOfProxy && copy.isReceived && copy == response)
    }
  }

  /// libcurl opens a tunnel again by itself, where a connection that was used before ends without an answer.
  @Test func aTunnelThatIsOpenedAgainIsTheProxysAnswerToo() async throws {
    let origin = try ScriptedServer { connection in
      while try connection.readRequest() != nil {
        if connection.number == 1, connection.requests.count == 2 { return }
        try connection.send(HTTPResponse(text: "\(connection.number)"))
      }
    }
    let front = try await TLSFront.start(before: origin.port, speaking: "http/1.1")
    let proxy = try ScriptedServer { connection in
      guard try connection.readRequestHead() != nil else { return }
      let said = connection.number == 1 ? "" : "\(Self.hostile)Strict-Transport-Security: max-age=1000\r\n"
      try connection.send("HTTP/1.1 200 OK\r\n\(said)\r\n")
      try connection.relay(to: front.port)
    }
    let authority = try await TestCertificates.shared.authority
    let client = client(through: proxy) { $0.certificateAuthorityFile = authority }
    let url = try #require(URL(string: "https://localhost:\(front.port)/"))
    #expect(await client.load(url).text == "1")
    let record = await client.load(url)
    #expect(record.text == "2", "\(String(describing: record.error))")
    #expect(record.http?.value(forHTTPHeaderField: "Set-Cookie") == nil)
    #expect(await cookies().isEmpty && !storage.requiresSecureTransport(to: "localhost"))
  }
}
