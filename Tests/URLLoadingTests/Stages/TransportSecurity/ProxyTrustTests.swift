import Foundation
import Testing
import URLLoadingCurlTransport
import URLLoadingTestServers

@testable import URLLoading

/// Challenges about HTTPS proxies: squid behind an end of TLS.
@Suite(.timeLimit(.minutes(4))) struct ProxyTrustTests {
  private static let listeners = [NginxServer.Listener.http, .https]

  private static func session(_ delegate: TrustDelegate?, through front: TLSFront) async throws -> URLSession {
    let authority = try await TestCertificates.shared.authority
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.certificateAuthorityFile = authority
    configuration.connectionProxyDictionary = [
      kCFNetworkProxiesHTTPProxy: "https://127.0.0.1:\(front.port)",
      kCFNetworkProxiesHTTPSProxy: "https://127.0.0.1", kCFNetworkProxiesHTTPSPort: Int(front.port),
      kCFNetworkProxiesFTPProxy: "https://127.0.0.1:\(front.port)",
    ]
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  private static func front(
    _ condition: CertificateCondition, authenticates: Bool = false, clientAuthority: URL? = nil
  ) async throws -> TLSFront {
    let squid = authenticates ? try await SquidServer.authenticating : try await SquidServer.shared
    return try await TLSFront.start(
      before: squid.port, speaking: "http/1.1", as: condition.identity, clientAuthority: clientAuthority)
  }

  /// Who is asked about: a proxy, or a server.
  private static func subjects(_ delegate: TrustDelegate) -> [String] {
    delegate.challenges.value.map { challenge in
      let space = challenge.protectionSpace
      let method = space.authenticationMethod.replacing("NSURLAuthenticationMethod", with: "")
      return "\(space.isProxy() ? "proxy" : "server") \(method)"
    }
  }

  @Test(arguments: CertificateCondition.allCases, listeners)
  func comesToWhatItWouldWithAServer(
    _ condition: CertificateCondition, _ listener: NginxServer.Listener
  ) async throws {
    let front = try await Self.front(condition)
    let url = try await NginxServer.shared.url(on: listener)
    var connections = 0
    for behaviour in TrustBehaviour.allCases {
      let delegate = behaviour.delegate(pin: try await CertificateCondition.pin)
      let session = try await Self.session(delegate, through: front)
      var outcome: TrustOutcome
      do {
        let (data, _) = try await session.data(from: url)
        #expect(data == DocumentRoot.small)
        let weakened = delegate?.metrics.value.last?.weakenedChecks ?? []
        #expect(weakened.allSatisfy { $0.isOfProxy && $0.cause == .delegate && !$0.reason.isEmpty })
        outcome = .loads(without: Set(weakened.map(\.check)))
        // A tunnel whose server is asked about ends with the handshake, and another is made.
        connections += listener == .https && delegate != nil ? 2 : 1
      } catch let error as URLError {
        outcome = .fails(error.code)
      }
      #expect(outcome == condition.outcome(behaviour), "\(behaviour): \(outcome)")
      if let space = delegate?.challenges.value.first?.protectionSpace {
        #expect(space.isProxy() && space.host == "127.0.0.1" && space.port == Int(front.port))
        #expect(space.proxyType == NSURLProtectionSpaceHTTPSProxy && space.protocol == nil)
        #expect(space.authenticationMethod == NSURLAuthenticationMethodServerTrust && space.serverTrust != nil)
      }
      session.finishTasksAndInvalidate()
    }
    // Nothing was sent to a proxy that was not taken.
    #expect(front.usedConnections == connections)
    await front.stop()
  }

  /// The handshake that is made again shows another certificate: trusted by the session, but not what the delegate has accepted.
  @Test(arguments: listeners)
  func aProxyThatThenShowsAnotherChainIsRefused(_ listener: NginxServer.Listener) async throws {
    let certificates = try await TestCertificates.shared
    let front = try await TLSFront.start(
      before: SquidServer.shared.port, speaking: "http/1.1", as: certificates.selfSigned, then: certificates.server)
    let delegate = TrustDelegate.accepting()
    let session = try await Self.session(delegate, through: front)
    let url = try await NginxServer.shared.url(on: listener)
    let error = await #expect(throws: URLError.self) { try await session.data(from: url) }
    #expect(error?.code == .serverCertificateUntrusted)
    #expect(error?.localizedDescription.contains("other certificates") == true)
    #expect(Self.subjects(delegate) == ["proxy ServerTrust"] && front.usedConnections == 0)
    // The next load is asked about the new ones.
    let (data, _) = try await session.data(from: url)
    #expect(data == DocumentRoot.small)
    #expect(Self.subjects(delegate).dropFirst().first == "proxy ServerTrust")
    session.finishTasksAndInvalidate()
    await front.stop()
  }

  /// By the log of the proxy: one handshake more for a new connection, none for its reuse.
  @Test(arguments: listeners) func aConnectionCostsOneHandshakeMore(_ listener: NginxServer.Listener) async throws {
    let front = try await Self.front(.selfSigned)
    let nginx = try await NginxServer.shared
    let delegate = TrustDelegate.accepting()
    let session = try await Self.session(delegate, through: front)
    for index in 0..<4 {
      let (data, _) = try await session.data(from: nginx.url("/small.txt?\(index)", on: listener))
      #expect(data == DocumentRoot.small)
    }
    // A tunnel ends with the handshake of the server that is made again, and so does its connection.
    let isTunnel = listener == .https
    // libcurl 8.23 uses no connection to such a proxy again but for tunnels.
    let connections = !isTunnel && TransferLibrary.description.hasPrefix("libcurl/8.23") ? 4 : 1
    let proxyQuestions = Array(repeating: "proxy ServerTrust", count: connections)
    #expect(Self.subjects(delegate) == proxyQuestions + (isTunnel ? ["server ServerTrust"] : []))
    #expect(try await eventually { front.handshakes.contains(nil) })
    #expect(front.handshakes.compactMap { $0 }.count == (isTunnel ? 2 : connections))
    #expect(front.handshakes.count == (isTunnel ? 3 : 2 * connections))
    session.finishTasksAndInvalidate()
    await front.stop()
  }

  @Test(arguments: listeners) func aLoginIsSentToAProxyThatIsAccepted(_ listener: NginxServer.Listener) async throws {
    let front = try await Self.front(.selfSigned, authenticates: true)
    let nginx = try await NginxServer.shared
    let delegate = TrustDelegate { challenge in
      if let trust = challenge.protectionSpace.serverTrust { return (.useCredential, URLCredential(trust: trust)) }
      let credential = URLCredential(
        user: SquidServer.user, password: SquidServer.password, persistence: .forSession)
      return (.useCredential, challenge.previousFailureCount == 0 ? credential : nil)
    }
    let own = LoginDelegate(delegate)
    let session = try await Self.session(nil, through: front)
    let (data, _) = try await session.data(from: nginx.url(on: listener), delegate: own)
    #expect(data == DocumentRoot.small)
    let subjects = ["proxy ServerTrust", "proxy HTTPBasic"] + (listener == .https ? ["server ServerTrust"] : [])
    #expect(own.subjects.value == subjects)
    #expect(await (try await SquidServer.authenticating).waitForRequest(SquidServer.user))
    session.finishTasksAndInvalidate()
    await front.stop()
  }

  @Test(arguments: listeners) func noLoginIsAskedForByAProxyThatIsNot(_ listener: NginxServer.Listener) async throws {
    let front = try await Self.front(.selfSigned, authenticates: true)
    let own = LoginDelegate(TrustDelegate.answering(.rejectProtectionSpace))
    let session = try await Self.session(nil, through: front)
    let error = await #expect(throws: URLError.self) {
      try await session.data(from: try await NginxServer.shared.url(on: listener), delegate: own)
    }
    #expect(error?.code == .serverCertificateUntrusted && own.subjects.value == ["proxy ServerTrust"])
    session.finishTasksAndInvalidate()
    await front.stop()
  }

  @Test(arguments: listeners) func anIdentityLogsInToAProxy(_ listener: NginxServer.Listener) async throws {
    let certificates = try await TestCertificates.shared
    let front = try await Self.front(.good, clientAuthority: certificates.authority)
    let identity = try SecIdentity(
      pem: Data(contentsOf: certificates.client.key) + Data(contentsOf: certificates.client.certificate))
    let delegate = TrustDelegate { challenge in
      let isAsked = challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodClientCertificate
      guard isAsked, challenge.protectionSpace.isProxy() else { return (.performDefaultHandling, nil) }
      return (.useCredential, URLCredential(identity: identity, certificates: nil, persistence: .forSession))
    }
    let session = try await Self.session(delegate, through: front)
    let nginx = try await NginxServer.shared
    for index in 0..<3 {
      let (data, _) = try await session.data(from: nginx.url("/small.txt?\(index)", on: listener))
      #expect(data == DocumentRoot.small)
    }
    #expect(Self.subjects(delegate).filter { $0 == "proxy ClientCertificate" }.count == 1)
    #expect(Set(front.handshakes.compactMap { $0 }) == ["client"])
    session.finishTasksAndInvalidate()
    await front.stop()
  }

  /// A proxy is another host than the one that the rules are for.
  @Test func pinsOfAServerAreNotThoseOfItsProxy() async throws {
    let certificates = try await TestCertificates.shared
    let server = SecCertificate.certificates(pem: try Data(contentsOf: certificates.server.certificate)).first
    let pin = try #require(server?.publicKeyHash).base64EncodedString()
    let front = try await Self.front(.selfSigned)
    let configuration = try await Self.session(nil, through: front).configuration
    configuration.appTransportSecurity = AppTransportSecurity([
      "NSPinnedDomains": ["localhost": ["NSPinnedLeafIdentities": [["SPKI-SHA256-BASE64": pin]]]]
    ])
    let delegate = TrustDelegate.accepting()
    let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    let nginx = try await NginxServer.shared
    let (data, _) = try await session.data(from: nginx.url(on: .https, host: "localhost"))
    #expect(data == DocumentRoot.small)
    let checks = delegate.metrics.value.last?.weakenedChecks.map { "\($0.check) \($0.isOfProxy)" }
    #expect(checks == ["certificateChain true"])
    // The server itself is held to them.
    let error = await #expect(throws: URLError.self) {
      try await session.data(from: nginx.url(on: .httpsSelfSigned, host: "localhost"))
    }
    #expect(error?.code == .appTransportSecurityRequiresSecureConnection)
    session.finishTasksAndInvalidate()
    await front.stop()
  }

  /// FTP by a tunnel: the proxy of the control connection, and that of the data.
  @Test func filesOfFTPServersComeThroughAnAcceptedProxy() async throws {
    let front = try await Self.front(.selfSigned)
    let server = try await FTPServer.shared
    for (delegate, loads) in [(TrustDelegate.accepting(), true), (.answering(.performDefaultHandling), false)] {
      let session = try await Self.session(delegate, through: front)
      let data = try? await session.data(from: server.url()).0
      #expect(data == (loads ? DocumentRoot.small : nil))
      #expect(Self.subjects(delegate) == ["proxy ServerTrust"])
      if loads { #expect(try await session.data(from: server.url("/empty.bin")).0.isEmpty) }
      session.finishTasksAndInvalidate()
    }
    await front.stop()
  }

  /// The front ends TLS without close_notify, in whatever way the data ended.
  @Test(arguments: [500, 999]) func aFileThatIsCutOffBehindAnAcceptedProxyFails(count: Int) async throws {
    let front = try await Self.front(.selfSigned)
    var script = ScriptedFTPServer.Script(file: TestFiles.pattern(count: 1000))
    script.limit = count
    let server = try ScriptedFTPServer(script)
    let session = try await Self.session(.accepting(), through: front)
    let error = await #expect(throws: URLError.self) { try await session.data(from: server.url()) }
    #expect(error?.code == .networkConnectionLost)
    session.finishTasksAndInvalidate()
    await server.stop()
    await front.stop()
  }
}

/// A task's delegate that answers every challenge as another does, and notes whom they are about.
private final class LoginDelegate: NSObject, URLSessionTaskDelegate, Sendable {
  let subjects = Watched<[String]>([])
  private let answers: TrustDelegate

  init(_ answers: TrustDelegate) { self.answers = answers }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let space = challenge.protectionSpace
    let method = space.authenticationMethod.replacing("NSURLAuthenticationMethod", with: "")
    subjects.update { $0.append("\(space.isProxy() ? "proxy" : "server") \(method)") }
    answers.urlSession(session, didReceive: challenge, completionHandler: completionHandler)
  }
}
