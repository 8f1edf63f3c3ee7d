import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// `connectionProxyDictionary`, against squid and microsocks.
@Suite(.timeLimit(.minutes(4))) struct ProxyTests {
  private static func session(
    _ proxies: [AnyHashable: Any], recorder: LoadRecorder = LoadRecorder()
  ) async throws -> RecordedSession {
    let authority = try await TestCertificates.shared.authority
    return RecordedSession(recorder) {
      $0.connectionProxyDictionary = proxies
      $0.certificateAuthorityFile = authority
    }
  }

  private static func http(_ port: UInt16) -> [AnyHashable: Any] {
    [
      "HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": Int(port), "HTTPSEnable": 1, "HTTPSProxy": "127.0.0.1",
      "HTTPSPort": Int(port),
    ]
  }

  @Test(arguments: LoadKind.allCases)
  func anHTTPProxyForwards(_ kind: LoadKind) async throws {
    let squid = try await SquidServer.shared
    let nginx = try await NginxServer.shared
    let url = nginx.url("/small.txt?forwarded-\(kind)")
    let record = await (try await Self.session(Self.http(squid.port))).load(url, as: kind)
    #expect(record.body == DocumentRoot.small)
    #expect(await squid.waitForRequest("GET \(url.absoluteString) 200"))
  }

  @Test func anHTTPProxyTunnelsHTTPS() async throws {
    let squid = try await SquidServer.start()
    let nginx = try await NginxServer.shared
    let client = try await Self.session(Self.http(squid.port))
    #expect(await client.load(nginx.url(on: .https)).body == DocumentRoot.small)
    client.session.invalidateAndCancel()
    #expect(await squid.waitForRequest("CONNECT 127.0.0.1:\(nginx.port(.https)) 200"))
    await squid.stop()
  }

  @Test func exceptionsAreReachedDirectly() async throws {
    let nginx = try await NginxServer.shared
    var proxies = Self.http(try FreePort.pick())
    #expect(await (try await Self.session(proxies)).load(nginx.url()).error is URLError)
    proxies["ExceptionsList"] = ["*.example.org", "127.0.0.0/8"]
    #expect(await (try await Self.session(proxies)).load(nginx.url()).body == DocumentRoot.small)
  }

  @Test func aDisabledProxyIsNotUsed() async throws {
    var proxies = Self.http(try FreePort.pick())
    proxies["HTTPEnable"] = 0
    #expect(await (try await Self.session(proxies)).load(try await NginxServer.shared.url()).body == DocumentRoot.small)
  }

  @Test(arguments: [NginxServer.Listener.http, .https])
  func aSOCKSProxyForwards(_ listener: NginxServer.Listener) async throws {
    let socks = try await SOCKSServer.start()
    let nginx = try await NginxServer.shared
    let client = try await Self.session(["SOCKSEnable": 1, "SOCKSProxy": "127.0.0.1", "SOCKSPort": Int(socks.port)])
    #expect(await client.load(nginx.url(on: listener)).body == DocumentRoot.small)
    #expect(await socks.waitForConnection(to: nginx.port(listener)))
    await socks.stop()
  }

  @Test func aSOCKSProxyGetsTheUserAndPassword() async throws {
    let socks = try await SOCKSServer.start(authenticates: true)
    let nginx = try await NginxServer.shared
    var proxies: [AnyHashable: Any] = ["SOCKSProxy": "127.0.0.1", "SOCKSPort": Int(socks.port)]
    let refused = await (try await Self.session(proxies)).load(nginx.url())
    #expect(refused.error is URLError && refused.completions == 1)
    proxies["SOCKSUser"] = SOCKSServer.user
    proxies["SOCKSPassword"] = SOCKSServer.password
    #expect(await (try await Self.session(proxies)).load(nginx.url()).body == DocumentRoot.small)
    await socks.stop()
  }

  @Test(arguments: [NginxServer.Listener.http, .https])
  func aProxyGetsTheUserAndPasswordOfTheDictionary(_ listener: NginxServer.Listener) async throws {
    let squid = try await SquidServer.authenticating
    let nginx = try await NginxServer.shared
    var proxies = Self.http(squid.port)
    for prefix in ["HTTP", "HTTPS"] {
      proxies["\(prefix)User"] = SquidServer.user
      proxies["\(prefix)Password"] = SquidServer.password
    }
    let record = await (try await Self.session(proxies)).load(nginx.url(on: listener))
    #expect(record.body == DocumentRoot.small, "\(String(describing: record.error))")
  }

  @Test(arguments: [NginxServer.Listener.http, .https])
  func aProxyThatWantsCredentialsChallenges(_ listener: NginxServer.Listener) async throws {
    let squid = try await SquidServer.authenticating
    let nginx = try await NginxServer.shared
    let credential = URLCredential(user: SquidServer.user, password: SquidServer.password, persistence: .forSession)
    let recorder = LoadRecorder(onChallenge: { _ in (.useCredential, credential) })
    let client = try await Self.session(Self.http(squid.port), recorder: recorder)
    let record = await client.load(nginx.url(on: listener))
    #expect(record.body == DocumentRoot.small, "\(String(describing: record.error))")
    let space = try #require(record.challenges.first?.protectionSpace)
    #expect(record.challenges.count == 1 && space.isProxy())
    #expect(space.host == "127.0.0.1" && space.port == Int(squid.port), "\(space)")
    #expect(space.realm == "Proxy realm" && space.authenticationMethod == NSURLAuthenticationMethodHTTPBasic)
  }

  @Test func aDeclinedChallengeOfAProxyIsTheResult() async throws {
    let squid = try await SquidServer.authenticating
    let nginx = try await NginxServer.shared
    let client = try await Self.session(Self.http(squid.port))
    let plain = await client.load(nginx.url())
    #expect(plain.status == 407 && plain.error == nil)
    let secure = await client.load(nginx.url(on: .https))
    #expect(
      secure.code == .userAuthenticationRequired && secure.completions == 1, "\(String(describing: secure.error))")
  }

  @Test func aProxyThatIsNotThereIsAnError() async throws {
    let client = try await Self.session(Self.http(try FreePort.pick()))
    let record = await client.load(try await NginxServer.shared.url())
    #expect(record.code == .cannotConnectToHost, "\(String(describing: record.error))")
  }

  @Test func theCredentialsOfTheProxyDoNotReachTheServer() async throws {
    let server = try ScriptedServer.http { HTTPResponse(text: $0.fields["Proxy-Authorization"] ?? "none") }
    let squid = try await SquidServer.authenticating
    var proxies = Self.http(squid.port)
    proxies["HTTPUser"] = SquidServer.user
    proxies["HTTPPassword"] = SquidServer.password
    #expect(await (try await Self.session(proxies)).load(server.url()).text == "none")
  }
}
