import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Cookies as loads send and store them.
@Suite(.timeLimit(.minutes(4))) struct CookieLoadTests {
  /// `/set?…` sets the query as cookies, `/echo…` answers with what it got, `/hop` sets one and redirects.
  private static func server() throws -> ScriptedServer {
    try .http { request in
      if request.path.hasSuffix("/set") {
        let values = request.target.split(separator: "?").last?.split(separator: "&") ?? []
        let list = values.map { ($0.removingPercentEncoding ?? "").replacingOccurrences(of: "+", with: " ") }
        return HTTPResponse(fields: HTTPFields(list.map { (name: "Set-Cookie", value: $0) }))
      }
      if let number = request.query["hop"].flatMap({ Int($0) }) {
        let next = number == 0 ? "/echo" : "/?hop=\(number - 1)"
        return HTTPResponse(302, fields: ["Location": next, "Set-Cookie": "hop\(number)=1; Path=/"])
      }
      return HTTPResponse(text: request.fields.all("Cookie").joined(separator: "|"))
    }
  }

  @Test(arguments: LoadKind.allCases)
  func aCookieIsStoredAndSentAgain(_ kind: LoadKind) async throws {
    let server = try Self.server()
    let client = RecordedSession()
    _ = await client.load(server.url("/set?a=1&b=2"), as: kind)
    #expect(await client.load(server.url("/echo"), as: kind).text == "a=1; b=2")
  }

  @Test func pathSecureAndExpiryAreObeyed() async throws {
    let server = try Self.server()
    let client = RecordedSession()
    _ = await client.load(server.url("/sub/set?in=1;+Path=/sub&secure=1;+Secure&gone=1;+Max-Age=0&root=1;+Path=/"))
    #expect(await client.load(server.url("/sub/echo")).text == "in=1; root=1")
    #expect(await client.load(server.url("/subway/echo")).text == "root=1")
    #expect(await client.load(server.url("/echo")).text == "root=1")
    _ = await client.load(server.url("/set?root=;+Path=/;+Max-Age=0"))
    #expect(await client.load(server.url("/echo")).text.isEmpty)
  }

  @Test func anotherHostDoesNotGetThem() async throws {
    let server = try Self.server()
    let client = RecordedSession()
    _ = await client.load(server.url("/set?a=1&foreign=1;+Domain=example.org&top=1;+Domain=localhost"))
    let other = try #require(URL(string: "http://localhost:\(server.port)/echo"))
    #expect(await client.load(other).text.isEmpty)
    #expect(await client.load(server.url("/echo")).text == "a=1")
  }

  @Test(arguments: LoadKind.allCases)
  func everyHopOfARedirectSetsAndSends(_ kind: LoadKind) async throws {
    let server = try Self.server()
    let client = RecordedSession()
    let record = await client.load(server.url("/?hop=3"), as: kind)
    #expect(record.text == "hop3=1; hop2=1; hop1=1; hop0=1")
    let sent = server.requests.map { $0.fields["Cookie"] ?? "" }
    #expect(sent == ["", "hop3=1", "hop3=1; hop2=1", "hop3=1; hop2=1; hop1=1", record.text])
  }

  @Test func aRedirectToAnotherHostTakesThatHostsCookies() async throws {
    let end = try Self.server()
    let server = try ScriptedServer.http { _ in
      HTTPResponse(302, fields: ["Location": "http://localhost:\(end.port)/echo", "Set-Cookie": "here=1; Path=/"])
    }
    let client = RecordedSession()
    _ = await client.load(try #require(URL(string: "http://localhost:\(end.port)/set?there=1;+Path=/")))
    _ = await client.load(end.url("/set?here=0;+Path=/"))
    #expect(await client.load(server.url("/start")).text == "there=1")
  }

  @Test func httpShouldHandleCookiesFalseNeitherSendsNorStores() async throws {
    let server = try Self.server()
    let client = RecordedSession()
    _ = await client.load(server.url("/set?a=1"))
    var request = URLRequest(url: server.url("/echo"))
    request.httpShouldHandleCookies = false
    #expect(await client.load(request).text.isEmpty)
    request.url = server.url("/set?b=2")
    _ = await client.load(request)
    request.url = server.url("/?hop=0")
    _ = await client.load(request)
    #expect(await client.load(server.url("/echo")).text == "a=1")
  }

  @Test func httpShouldSetCookiesFalseStoresButDoesNotSend() async throws {
    let server = try Self.server()
    let client = RecordedSession { $0.httpShouldSetCookies = false }
    _ = await client.load(server.url("/set?a=1"))
    #expect(await client.load(server.url("/echo")).text.isEmpty)
    #expect(client.session.configuration.httpCookieStorage?.cookies?.map(\.name) == ["a"])
  }

  @Test func thePolicyNeverStoresNothing() async throws {
    let server = try Self.server()
    let client = RecordedSession { $0.httpCookieAcceptPolicy = .never }
    _ = await client.load(server.url("/set?a=1"))
    #expect(await client.load(server.url("/echo")).text.isEmpty)
  }

  @Test func withoutAStorageThereAreNoCookies() async throws {
    let server = try Self.server()
    let client = RecordedSession { $0.httpCookieStorage = nil }
    _ = await client.load(server.url("/set?a=1"))
    #expect(await client.load(server.url("/echo")).text.isEmpty)
  }

  @Test func theRequestsOwnCookieFieldWins() async throws {
    let server = try Self.server()
    let client = RecordedSession()
    _ = await client.load(server.url("/set?a=1"))
    var request = URLRequest(url: server.url("/echo"))
    request.setValue("own=1", forHTTPHeaderField: "Cookie")
    #expect(await client.load(request).text == "own=1")
  }

  @Test func ephemeralSessionsShareNothing() async throws {
    let server = try Self.server()
    _ = await RecordedSession().load(server.url("/set?a=1"))
    #expect(await RecordedSession().load(server.url("/echo")).text.isEmpty)
    #expect(HTTPCookieStorage.shared.cookies(for: server.url())?.isEmpty == true)
  }

  @Test func resetForgetsThem() async throws {
    let server = try Self.server()
    let client = RecordedSession()
    _ = await client.load(server.url("/set?a=1"))
    await client.session.reset()
    #expect(await client.load(server.url("/echo")).text.isEmpty)
  }

  /// A server that sets a cookie with its 401, and a client with a credential for it.
  private static func login() throws -> (ScriptedServer, RecordedSession) {
    let server = try ScriptedServer.http { request in
      request.fields["Authorization"] == nil
        ? HTTPResponse(401, fields: ["WWW-Authenticate": "Basic realm=\"r\"", "Set-Cookie": "session=1"])
        : HTTPResponse(text: request.fields["Cookie"] ?? "none")
    }
    let credential = URLCredential(user: "u", password: "p", persistence: .none)
    let client = RecordedSession(LoadRecorder(onChallenge: { _ in (.useCredential, credential) }))
    return (server, client)
  }

  @Test func theCookiesOfA401AreSentWithTheCredential() async throws {
    let (server, client) = try Self.login()
    #expect(await client.load(server.url("/")).text == "session=1")
    #expect(server.requests.map { $0.fields["Cookie"] } == [nil, "session=1"])
    #expect(client.session.configuration.httpCookieStorage?.cookies?.map(\.name) == ["session"])
  }

  /// What the program has set itself stays as it is.
  @Test func theRequestsOwnCookieFieldStaysThroughA401() async throws {
    let (server, client) = try Self.login()
    var request = URLRequest(url: server.url("/"))
    request.setValue("own=1", forHTTPHeaderField: "Cookie")
    #expect(await client.load(request).text == "own=1")
  }
}
