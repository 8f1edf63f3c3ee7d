import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Logins of SOCKS proxies by challenge (RFC 1929), against microsocks.
@Suite(.timeLimit(.minutes(4))) struct SOCKSChallengeTests {
  private static let right = URLCredential(
    user: SOCKSServer.user, password: SOCKSServer.password, persistence: .forSession)
  private static let wrong = URLCredential(user: SOCKSServer.user, password: "wrong", persistence: .none)

  private static func client(
    _ socks: SOCKSServer, _ answer: @escaping @Sendable (URLAuthenticationChallenge) -> LoadRecorder.ChallengeAnswer
  ) async throws -> RecordedSession {
    let authority = try await TestCertificates.shared.authority
    return RecordedSession(LoadRecorder(onChallenge: answer)) {
      $0.connectionProxyDictionary = [
        kCFNetworkProxiesSOCKSProxy: "127.0.0.1", kCFNetworkProxiesSOCKSPort: Int(socks.port),
      ]
      $0.certificateAuthorityFile = authority
    }
  }

  @Test(arguments: [NginxServer.Listener.http, .https])
  func aLoginIsAskedForOnce(_ listener: NginxServer.Listener) async throws {
    let socks = try await SOCKSServer.start(authenticates: true)
    let nginx = try await NginxServer.shared
    let client = try await Self.client(socks) { _ in (.useCredential, Self.right) }
    let record = await client.load(nginx.url(on: listener))
    #expect(record.body == DocumentRoot.small && record.error == nil, "\(String(describing: record.error))")
    let challenge = try #require(record.challenges.first)
    let space = challenge.protectionSpace
    #expect(record.challenges.count == 1 && challenge.previousFailureCount == 0 && space.isProxy())
    #expect(space.host == "127.0.0.1" && space.port == Int(socks.port) && space.realm == nil)
    #expect(space.proxyType == NSURLProtectionSpaceSOCKSProxy && space.protocol == nil)
    #expect(space.authenticationMethod == NSURLAuthenticationMethodDefault && !space.receivesCredentialSecurely)
    // The next loads begin with it.
    for index in 0..<3 {
      let next = await client.load(nginx.url("/small.txt?\(index)", on: listener))
      #expect(next.body == DocumentRoot.small && next.challenges.isEmpty)
    }
    await socks.stop()
  }

  @Test func aWrongLoginIsAskedForAgain() async throws {
    let socks = try await SOCKSServer.start(authenticates: true)
    let client = try await Self.client(socks) {
      (.useCredential, $0.previousFailureCount < 2 ? Self.wrong : Self.right)
    }
    let record = await client.load(try await NginxServer.shared.url())
    #expect(record.body == DocumentRoot.small, "\(String(describing: record.error))")
    #expect(record.challenges.map(\.previousFailureCount) == [0, 1, 2])
    await socks.stop()
  }

  @Test func aLoginThatIsAlwaysWrongEndsTheLoad() async throws {
    let socks = try await SOCKSServer.start(authenticates: true)
    let client = try await Self.client(socks) { _ in (.useCredential, Self.wrong) }
    let record = await client.load(try await NginxServer.shared.url())
    #expect(record.code == .userAuthenticationRequired && record.completions == 1)
    #expect(record.challenges.count == 16)
    await socks.stop()
  }

  @Test(arguments: [
    URLSession.AuthChallengeDisposition.performDefaultHandling, .rejectProtectionSpace, .cancelAuthenticationChallenge,
  ])
  func aDeclinedChallengeIsTheProxysRefusal(_ disposition: URLSession.AuthChallengeDisposition) async throws {
    let socks = try await SOCKSServer.start(authenticates: true)
    let client = try await Self.client(socks) { _ in (disposition, nil) }
    let record = await client.load(try await NginxServer.shared.url())
    let isCancelled = disposition == .cancelAuthenticationChallenge
    #expect(
      record.code == (isCancelled ? .cancelled : .userAuthenticationRequired), "\(String(describing: record.error))")
    #expect(record.challenges.count == 1 && record.completions == 1)
    await socks.stop()
  }

  @Test func theStorageAnswersFirst() async throws {
    let socks = try await SOCKSServer.start(authenticates: true)
    let storage = URLCredentialStorage()
    storage.setDefaultCredential(
      Self.right,
      for: URLProtectionSpace(
        proxyHost: "127.0.0.1", port: Int(socks.port), type: NSURLProtectionSpaceSOCKSProxy, realm: nil,
        authenticationMethod: NSURLAuthenticationMethodDefault))
    let client = RecordedSession {
      $0.connectionProxyDictionary = ["SOCKSProxy": "127.0.0.1", "SOCKSPort": Int(socks.port)]
      $0.urlCredentialStorage = storage
    }
    let record = await client.load(try await NginxServer.shared.url())
    #expect(record.body == DocumentRoot.small && record.challenges.isEmpty, "\(String(describing: record.error))")
    await socks.stop()
  }

  /// A login for one use is not that of the next load, whose connection is its own.
  @Test func eachLoginHasItsOwnConnections() async throws {
    let socks = try await SOCKSServer.start(authenticates: true)
    let nginx = try await NginxServer.shared
    let once = URLCredential(user: SOCKSServer.user, password: SOCKSServer.password, persistence: .none)
    let client = try await Self.client(socks) { _ in (.useCredential, once) }
    for load in 1...3 {
      let record = await client.load(nginx.url("/small.txt?load-\(load)"))
      #expect(record.body == DocumentRoot.small && record.challenges.count == 1, "load \(load)")
    }
    // The login is the same each time: all loads after the first find its connection.
    #expect(try await eventually { socks.connections.count == 1 }, "\(socks.connections)")
    let other = try await Self.client(socks) { _ in (.useCredential, Self.wrong) }
    #expect(await other.load(nginx.url()).error != nil)
    #expect(socks.connections.count == 1)
    await socks.stop()
  }

  @Test func anUploadIsSentAfterTheLogin() async throws {
    let socks = try await SOCKSServer.start(authenticates: true)
    let server = try ScriptedServer.http { HTTPResponse(body: $0.body) }
    let client = try await Self.client(socks) { _ in (.useCredential, Self.right) }
    var request = URLRequest(url: server.url())
    request.httpMethod = "POST"
    request.httpBody = Data(repeating: 7, count: 100_000)
    let record = await client.load(request)
    #expect(record.body == request.httpBody, "\(String(describing: record.error))")
    await socks.stop()
  }

  @Test func filesOfFTPServers() async throws {
    let socks = try await SOCKSServer.start(authenticates: true)
    let ftp = try await FTPServer.shared
    let client = try await Self.client(socks) { _ in (.useCredential, Self.right) }
    let record = await client.load(ftp.url())
    #expect(record.body == DocumentRoot.small, "\(String(describing: record.error))")
    #expect(record.challenges.map(\.protectionSpace.proxyType) == [NSURLProtectionSpaceSOCKSProxy])
    #expect(await client.load(ftp.url()).challenges.isEmpty)
    await socks.stop()
  }
}
