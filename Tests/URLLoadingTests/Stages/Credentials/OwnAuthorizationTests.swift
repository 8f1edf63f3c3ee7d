import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Requests with an `Authorization` or `Proxy-Authorization` of their own that the server or proxy refuses: what answers the challenge
/// replaces the field.
@Suite(.timeLimit(.minutes(4))) struct OwnAuthorizationTests {
  enum Scheme: String, CaseIterable, Sendable {
    case basic, digest

    var challenge: String {
      switch self {
      case .basic: "Basic realm=\"r\""
      case .digest: "Digest realm=\"r\", nonce=\"abc\", qop=\"auth\", algorithm=MD5"
      }
    }

    /// Whether a field's value is what a client that knows the password sends.
    func accepts(_ value: String?) -> Bool {
      switch self {
      case .basic: value == "Basic " + Data("user:right".utf8).base64EncodedString()
      case .digest: value?.hasPrefix("Digest ") == true && value?.contains("username=\"user\"") == true
      }
    }
  }

  enum Source: CaseIterable, Sendable { case delegate, url, storage }

  private static let stale = "Bearer stale"
  private static let credential = URLCredential(user: "user", password: "right", persistence: .forSession)

  private static func client(_ configure: (URLSessionConfiguration) -> Void = { _ in }) -> RecordedSession {
    RecordedSession(LoadRecorder(onChallenge: { _ in (.useCredential, credential) }), configure: configure)
  }

  @Test(arguments: Scheme.allCases, Source.allCases)
  func theAnswerReplacesTheField(_ scheme: Scheme, _ source: Source) async throws {
    let server = try ScriptedServer.http { request in
      let fields = request.fields.all("Authorization")
      guard fields.count == 1, scheme.accepts(fields.first) else {
        return HTTPResponse(401, fields: ["WWW-Authenticate": scheme.challenge], text: "no")
      }
      return HTTPResponse(text: "in")
    }
    var url = server.url("/a")
    if source == .url {
      var components = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false))
      (components.user, components.password) = ("user", "right")
      url = try #require(components.url)
    }
    var request = URLRequest(url: url)
    request.setValue(Self.stale, forHTTPHeaderField: "authorization")
    let client = Self.client { configuration in
      guard source == .storage else { return }
      let space = URLProtectionSpace(
        host: "127.0.0.1", port: Int(server.port), protocol: "http", realm: "r",
        authenticationMethod: scheme == .basic
          ? NSURLAuthenticationMethodHTTPBasic : NSURLAuthenticationMethodHTTPDigest)
      configuration.urlCredentialStorage?.setDefaultCredential(Self.credential, for: space)
    }
    let record = await client.load(request)
    #expect(record.text == "in" && record.status == 200)
    #expect(record.challenges.count == (source == .delegate ? 1 : 0))
    let sent = server.requests.map { $0.fields.all("Authorization") }
    // libcurl asks once more without a field where it has to compute one for Digest.
    let later = sent.dropFirst().joined()
    #expect(sent.first == [Self.stale] && sent.last?.count == 1 && !later.contains(Self.stale), "\(sent)")
    #expect(sent.allSatisfy { $0.count <= 1 } && sent.count == (scheme == .basic ? 2 : 3), "\(sent)")
  }

  /// A server that offers nothing a client could answer, and one that takes the field as it is.
  @Test func withoutAnAnswerTheFieldStays() async throws {
    let server = try ScriptedServer.http { request in
      request.fields.all("Authorization") == [Self.stale]
        ? HTTPResponse(text: "in") : HTTPResponse(401, fields: ["WWW-Authenticate": "Basic realm=\"r\""], text: "no")
    }
    var request = URLRequest(url: server.url())
    request.setValue(Self.stale, forHTTPHeaderField: "Authorization")
    let record = await Self.client().load(request)
    #expect(record.text == "in" && record.challenges.isEmpty && server.requests.count == 1)
  }

  @Test(arguments: Scheme.allCases)
  func theAnswerToAProxyReplacesItsField(_ scheme: Scheme) async throws {
    let proxy = try ScriptedServer.http { request in
      let fields = request.fields.all("Proxy-Authorization")
      guard fields.count == 1, scheme.accepts(fields.first) else {
        return HTTPResponse(407, fields: ["Proxy-Authenticate": scheme.challenge], text: "no")
      }
      return HTTPResponse(text: request.fields["Authorization"] ?? "none")
    }
    var request = URLRequest(url: "http://origin.example/" as URL)
    request.setValue(Self.stale, forHTTPHeaderField: "Proxy-Authorization")
    request.setValue("Bearer own", forHTTPHeaderField: "Authorization")
    let client = Self.client {
      $0.connectionProxyDictionary = ["HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": Int(proxy.port)]
    }
    let record = await client.load(request)
    #expect(record.text == "Bearer own" && record.challenges.count == 1)
    let sent = proxy.requests.map { $0.fields.all("Proxy-Authorization").count }
    #expect(sent == (scheme == .basic ? [1, 1] : [1, 0, 1]))
  }

  @Test func eachHandshakeOfAWebSocketHasOneFieldToo() async throws {
    let server = try ScriptedServer.http { request in
      let fields = request.fields.all("Authorization")
      return Scheme.basic.accepts(fields.first) && fields.count == 1
        ? HTTPResponse(204) : HTTPResponse(401, fields: ["WWW-Authenticate": Scheme.basic.challenge], text: "no")
    }
    var request = URLRequest(url: server.url("/", scheme: "ws"))
    request.setValue(Self.stale, forHTTPHeaderField: "Authorization")
    let client = Self.client()
    let record = await client.run(client.session.webSocketTask(with: request))
    #expect(record.code == .badServerResponse && record.challenges.count == 1)
    #expect(server.requests.map { $0.fields.all("Authorization").count } == [1, 1])
  }
}
