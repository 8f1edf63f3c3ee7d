import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Challenges about FTP servers over TLS.
@Suite(.timeLimit(.minutes(4))) struct FTPTrustTests {
  private static func session(
    _ delegate: TrustDelegate?, _ change: (URLSessionConfiguration) -> Void = { _ in }
  ) async throws -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.certificateAuthorityFile = try await TestCertificates.shared.authority
    change(configuration)
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  private static func server(
    _ condition: CertificateCondition, _ change: (inout FTPServer.Options) -> Void = { _ in }
  ) async throws -> FTPServer {
    var options = FTPServer.Options()
    options.requiresTLS = true
    options.identity = try await condition.identity
    change(&options)
    return try await FTPServer.start(options: options, largeSize: 100_000)
  }

  @Test(arguments: CertificateCondition.allCases, ["1.2", "1.3"])
  func comesToWhatItWouldByHTTPS(_ condition: CertificateCondition, _ version: String) async throws {
    let server = try await Self.server(condition) { $0.tlsVersion = version }
    var loads = 0
    for behaviour in TrustBehaviour.allCases {
      let delegate = behaviour.delegate(pin: try await CertificateCondition.pin)
      let session = try await Self.session(delegate)
      var outcome: TrustOutcome
      do {
        let (data, _) = try await session.data(from: server.secureURL())
        #expect(data == DocumentRoot.small)
        let weakened = delegate?.metrics.value.last?.weakenedChecks ?? []
        #expect(weakened.allSatisfy { !$0.isOfProxy && $0.cause == .delegate })
        outcome = .loads(without: Set(weakened.map(\.check)))
        loads += 1
      } catch let error as URLError {
        outcome = .fails(error.code)
      }
      #expect(outcome == condition.outcome(behaviour), "\(behaviour): \(outcome)")
      #expect(delegate?.challenges.value.count ?? 1 == 1)
      if let space = delegate?.challenges.value.first?.protectionSpace {
        #expect(space.host == "127.0.0.1" && space.port == Int(server.port) && !space.isProxy())
        #expect(space.protocol == "ftps" && space.authenticationMethod == NSURLAuthenticationMethodServerTrust)
      }
      session.finishTasksAndInvalidate()
    }
    // Nobody logged in to a server that was not taken, and no judged connection resumed the session of another load.
    #expect(server.log.matches(of: /<- USER/).count == loads)
    // Without a delegate, loads of one session may.
    if condition != .good { #expect(server.handshakes.allSatisfy { $0.isOfData || !$0.isResumed }) }
    await server.stop()
  }

  /// Servers may insist on that; the data connection of another client has no part in the session.
  @Test(arguments: ["1.2", "1.3"]) func dataConnectionsResumeTheSessionOfTheirControlConnection(
    _ version: String
  ) async throws {
    let server = try await Self.server(.selfSigned) { ($0.tlsVersion, $0.requiresResumption) = (version, true) }
    let delegate = TrustDelegate.accepting()
    let session = try await Self.session(delegate)
    for count in 1...3 {
      #expect(try await session.data(from: server.secureURL()).0 == DocumentRoot.small)
      #expect(delegate.challenges.value.count == count)
    }
    let handshakes = server.handshakes
    #expect(handshakes.map(\.isOfData) == [false, true, false, true, false, true])
    #expect(handshakes.map(\.isResumed) == [false, true, false, true, false, true])
    session.finishTasksAndInvalidate()
    await server.stop()
  }

  /// A range takes two connections, an upload's body is read once, and a listing may take several commands.
  @Test func aLoadAsksOnce() async throws {
    let server = try await Self.server(.selfSigned) { $0.disabledCommands = ["MLSD"] }
    let delegate = TrustDelegate.accepting()
    let session = try await Self.session(delegate)
    var request = URLRequest(url: server.secureURL())
    request.setValue("bytes=-24", forHTTPHeaderField: "Range")
    #expect(try await session.data(for: request).0 == DocumentRoot.small.suffix(24))
    #expect(delegate.challenges.value.count == 1)
    let names = try await session.allEntries(at: server.secureURL("/folder/")).map(\.name)
    #expect(names == ["inner.txt"] && delegate.challenges.value.count == 2)
    let user = "\(FTPServer.user):p%40ss%20word@"
    let stored = server.documentRoot.appendingPathComponent("up.bin")
    let url = try #require(
      URL(string: server.secureURL("/up.bin").absoluteString.replacing("ftps://", with: "ftps://\(user)")))
    request = URLRequest(url: url)
    request.httpMethod = "PUT"
    request.httpBodyStream = InputStream(data: TestFiles.pattern(count: 300_000))
    _ = try await session.data(for: request)
    #expect(try difference(Data(contentsOf: stored), from: TestFiles.pattern(count: 300_000)) == nil)
    #expect(delegate.challenges.value.count == 3)
    session.finishTasksAndInvalidate()
    await server.stop()
  }

  @Test func loginsAreAskedForOnceTheServerIsAccepted() async throws {
    let server = try await Self.server(.selfSigned) { $0.allowsAnonymous = false }
    let delegate = LoginAndTrust()
    let session = try await Self.session(nil)
    #expect(try await session.data(from: server.secureURL(), delegate: delegate).0 == DocumentRoot.small)
    #expect(
      delegate.methods.value == [NSURLAuthenticationMethodServerTrust, NSURLAuthenticationMethodDefault])
    session.finishTasksAndInvalidate()
    await server.stop()
  }

  @Test(arguments: ["1.2", "1.3"]) func anIdentityLogsIn(_ version: String) async throws {
    let certificates = try await TestCertificates.shared
    let server = try await Self.server(.good) {
      ($0.clientAuthority, $0.tlsVersion) = (certificates.authority, version)
    }
    let identity = try SecIdentity(
      pem: Data(contentsOf: certificates.client.key) + Data(contentsOf: certificates.client.certificate))
    let delegate = TrustDelegate { challenge in
      guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodClientCertificate else {
        return (.performDefaultHandling, nil)
      }
      return (.useCredential, URLCredential(identity: identity, certificates: nil, persistence: .forSession))
    }
    let session = try await Self.session(delegate)
    for _ in 0..<2 { #expect(try await session.data(from: server.secureURL()).0 == DocumentRoot.small) }
    #expect(delegate.methods.filter { $0 == NSURLAuthenticationMethodClientCertificate }.count == 1)
    #expect(server.handshakes.count == 4 && server.handshakes.allSatisfy { $0.subject == "client" })
    session.finishTasksAndInvalidate()
    await server.stop()
  }

  @Test func appTransportSecurityHolds() async throws {
    let certificates = try await TestCertificates.shared
    let server = try await Self.server(.good)
    let leaf = SecCertificate.certificates(pem: try Data(contentsOf: certificates.server.certificate)).first
    let (right, wrong) = (try #require(leaf?.publicKeyHash), try await CertificateCondition.pin)
    for (pin, delegate) in [
      (right, nil), (right, TrustDelegate.accepting()), (wrong, nil), (wrong, TrustDelegate.accepting()),
    ] {
      let session = try await Self.session(delegate) {
        $0.appTransportSecurity = AppTransportSecurity([
          "NSPinnedDomains": [
            "localhost": ["NSPinnedLeafIdentities": [["SPKI-SHA256-BASE64": pin.base64EncodedString()]]]
          ]
        ])
      }
      do {
        let (data, _) = try await session.data(from: server.secureURL(host: "localhost"))
        #expect(pin == right && data == DocumentRoot.small)
      } catch let error as URLError {
        #expect(pin == wrong && error.code == .appTransportSecurityRequiresSecureConnection, "\(error)")
        #expect(error.localizedDescription.contains("NSPinnedLeafIdentities"))
      }
      session.finishTasksAndInvalidate()
    }
    await server.stop()
  }
}

/// A task's delegate that accepts every server, and logs in.
private final class LoginAndTrust: NSObject, URLSessionTaskDelegate, Sendable {
  let methods = Watched<[String]>([])

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    methods.update { $0.append(challenge.protectionSpace.authenticationMethod) }
    if let trust = challenge.protectionSpace.serverTrust { return (.useCredential, URLCredential(trust: trust)) }
    guard challenge.previousFailureCount == 0 else { return (.performDefaultHandling, nil) }
    return (
      .useCredential, URLCredential(user: FTPServer.user, password: FTPServer.password, persistence: .none)
    )
  }
}
