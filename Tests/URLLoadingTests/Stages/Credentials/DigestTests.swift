import Foundation
import Testing
import URLLoading
import URLLoadingCurlTransport
import URLLoadingTestServers

/// Digest authentication (RFC 7616), in all its kinds.
@Suite(.timeLimit(.minutes(4))) struct DigestTests {
  private func client(asked: Watched<[URLAuthenticationChallenge]>) -> RecordedSession {
    RecordedSession(
      LoadRecorder(onChallenge: { challenge in
        asked.update { $0.append(challenge) }
        guard challenge.previousFailureCount == 0 else { return (.performDefaultHandling, nil) }
        return (
          .useCredential,
          URLCredential(user: AuthServer.user, password: AuthServer.password, persistence: .forSession)
        )
      }))
  }

  private func request(_ url: URL, body: String? = nil) -> URLRequest {
    var request = URLRequest(url: url)
    guard let body else { return request }
    request.httpMethod = "POST"
    request.httpBody = Data(body.utf8)
    return request
  }

  private func answer(_ record: LoadRecord) -> [String: Any] {
    (try? JSONSerialization.jsonObject(with: record.body)) as? [String: Any] ?? [:]
  }

  @Test(arguments: ["md5", "sha256", "md5-sess", "sha256-sess", "legacy", "either-qop"], [nil, "a body"])
  func everyAlgorithm(path: String, body: String?) async throws {
    let asked = Watched<[URLAuthenticationChallenge]>([])
    let record = await client(asked: asked).load(
      request(try await AuthServer.shared.url("/digest/\(path)"), body: body))
    #expect(record.status == 200, "\(record)")
    #expect(asked.value.map(\.protectionSpace.authenticationMethod) == [NSURLAuthenticationMethodHTTPDigest])
    let answer = answer(record)
    #expect(answer["user"] as? String == AuthServer.user && answer["body"] as? String == body ?? "")
    if path == "either-qop" { #expect(answer["qop"] as? String == "auth") }
    if path == "md5-sess" { #expect(answer["algorithm"] as? String == "MD5-sess") }
  }

  /// libcurl encodes it since 8.21, so that no server knows it.
  @Test(arguments: TransferLibrary.takesAnyDigestName ? ["digest/md5", "basic"] : ["basic"])
  func aNameBeyondASCII(path: String) async throws {
    let server = try await AuthServer.start(user: "Jäsøn")
    let client = RecordedSession(
      LoadRecorder(onChallenge: { _ in
        (.useCredential, URLCredential(user: "Jäsøn", password: AuthServer.password, persistence: .none))
      }))
    let record = await client.load(request(server.url("/\(path)")))
    #expect(record.status == 200 && answer(record)["user"] as? String == "Jäsøn", "\(record)")
    await server.stop()
  }

  /// A nonce that has been used up is replaced, and nobody is asked again: the credential is right.
  @Test func aStaleNonceIsNoWrongCredential() async throws {
    let asked = Watched<[URLAuthenticationChallenge]>([])
    let client = client(asked: asked)
    for number in 0..<5 {
      let body = number.isMultiple(of: 2) ? nil : "body \(number)"
      let record = await client.load(request(try await AuthServer.shared.url("/digest/stale"), body: body))
      #expect(record.status == 200, "\(number): \(record)")
    }
    #expect(asked.value.count == 1)
  }

  /// RFC 9110, section 11.2: whitespace around the equals sign of a parameter is bad, and taken.
  @Test(arguments: ["realm = \"a realm\" , charset=\"UTF-8\"", "realm =\"a realm\"", "realm= \"a realm\""])
  func spacesAroundTheEqualsSign(parameters: String) async throws {
    let server = try ScriptedServer.http { request in
      request.fields["Authorization"].map { HTTPResponse(text: $0) }
        ?? HTTPResponse(401, fields: ["WWW-Authenticate": "Basic \(parameters)"])
    }
    let asked = Watched<[URLAuthenticationChallenge]>([])
    let record = await client(asked: asked).load(server.url("/x"))
    #expect(asked.value.map(\.protectionSpace.realm) == ["a realm"])
    #expect(record.status == 200 && record.text.hasPrefix("Basic "), "\(record)")
  }

  /// The limit for wrong credentials holds for those that are said to be stale.
  @Test(arguments: [false, true]) func aNonceThatIsAlwaysStaleEndsTheLoad(isProxy: Bool) async throws {
    let server = try ScriptedServer.http { request in
      let field = isProxy ? "Proxy-Authenticate" : "WWW-Authenticate"
      let wasAnswered = request.fields[isProxy ? "Proxy-Authorization" : "Authorization"] != nil
      return HTTPResponse(
        isProxy ? 407 : 401,
        fields: [field: "Digest realm=\"r\", nonce=\"\(UInt64.random(in: 0 ... .max))\", stale=\(wasAnswered)"],
        text: "no")
    }
    let asked = Watched(0)
    let credential = URLCredential(user: "u", password: "p", persistence: .none)
    let client = RecordedSession(
      LoadRecorder(onChallenge: { _ in
        asked.update { $0 += 1 }
        return (.useCredential, credential)
      })
    ) { configuration in
      guard isProxy else { return }
      configuration.connectionProxyDictionary = [
        "HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": Int(server.port), "HTTPSEnable": 1,
        "HTTPSProxy": "127.0.0.1", "HTTPSPort": Int(server.port),
      ]
    }
    let url = isProxy ? try #require(URL(string: "https://a.test/")) : server.url()
    let record = await client.load(url)
    #expect(record.code == .userAuthenticationRequired, "\(record)")
    #expect(record.error?.localizedDescription.contains("stale") == true, "\(record)")
    #expect(server.requests.count <= 20 && asked.value == 1, "\(server.requests.count)")
  }

  @Test func aHashOfTheBodyIsAnErrorThatSaysSo() async throws {
    let asked = Watched<[URLAuthenticationChallenge]>([])
    let url = try await AuthServer.shared.url("/digest/auth-int")
    let record = await client(asked: asked).load(request(url, body: "a body"))
    #expect(record.code == .userAuthenticationRequired && asked.value.isEmpty)
    #expect(record.error?.localizedDescription.contains("auth-int") == true)
  }

  @Test func aHashOfNoBodyIsOne() async throws {
    let asked = Watched<[URLAuthenticationChallenge]>([])
    let record = await client(asked: asked).load(request(try await AuthServer.shared.url("/digest/auth-int")))
    #expect(record.status == 200, "\(record)")
    #expect(answer(record)["qop"] as? String == "auth-int")
  }

  @Test func anotherSchemeIsTakenWhereTheBodyWouldHaveToBeHashed() async throws {
    let asked = Watched<[URLAuthenticationChallenge]>([])
    let record = await client(asked: asked).load(
      request(try await AuthServer.shared.url("/digest/auth-int-or-basic"), body: "a body"))
    #expect(record.status == 200, "\(record)")
    #expect(asked.value.map(\.protectionSpace.authenticationMethod) == [NSURLAuthenticationMethodHTTPBasic])
  }

  /// A proxy is not a server: its own field, its own space, and the server never sees the credential.
  @Test(arguments: [nil, "a body"]) func aProxyWantsDigest(body: String?) async throws {
    let proxy = try ScriptedServer.http { request in
      guard let field = request.fields["Proxy-Authorization"], field.hasPrefix("Digest ") else {
        return HTTPResponse(
          407,
          fields: ["Proxy-Authenticate": "Digest realm=\"p\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256"])
      }
      return HTTPResponse(text: "\(field.contains("SHA-256")) \(String(decoding: request.body, as: UTF8.self))")
    }
    let asked = Watched<[URLAuthenticationChallenge]>([])
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = ["HTTPProxy": "127.0.0.1", "HTTPPort": Int(proxy.port)]
    let recorder = client(asked: asked).recorder
    let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    let (data, response) = try await session.data(for: request("http://192.0.2.1/x", body: body))
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
    #expect(String(decoding: data, as: UTF8.self) == "true \(body ?? "")")
    let space = try #require(asked.value.first?.protectionSpace)
    #expect(space.isProxy() && space.realm == "p" && space.host == "127.0.0.1" && space.port == Int(proxy.port))
    #expect(proxy.requests.allSatisfy { $0.fields["Authorization"] == nil })
  }
}
