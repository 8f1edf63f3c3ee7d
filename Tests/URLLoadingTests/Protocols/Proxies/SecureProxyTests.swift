import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Proxies that are spoken to over TLS: squid behind an end of TLS.
@Suite(.timeLimit(.minutes(4))) struct SecureProxyTests {
  private static let credential = URLCredential(
    user: SquidServer.user, password: SquidServer.password, persistence: .forSession)

  private static func client(_ port: UInt16, trusts: Bool = true) async throws -> RecordedSession {
    let authority = try await TestCertificates.shared.authority
    return RecordedSession(LoadRecorder(onChallenge: { _ in (.useCredential, credential) })) {
      $0.connectionProxyDictionary = [
        kCFNetworkProxiesHTTPProxy: "https://127.0.0.1:\(port)", kCFNetworkProxiesHTTPSProxy: "https://127.0.0.1",
        kCFNetworkProxiesHTTPSPort: Int(port), kCFNetworkProxiesFTPProxy: "https://127.0.0.1:\(port)",
      ]
      if trusts { $0.certificateAuthorityFile = authority }
    }
  }

  @Test(arguments: [NginxServer.Listener.http, .https])
  func forwardsAndTunnels(_ listener: NginxServer.Listener) async throws {
    let front = try await TLSFront.start(before: try await SquidServer.shared.port, speaking: "http/1.1")
    let client = try await Self.client(front.port)
    let record = await client.load(try await NginxServer.shared.url(on: listener))
    #expect(record.body == DocumentRoot.small && record.challenges.isEmpty, "\(String(describing: record.error))")
    #expect(record.metrics?.transactionMetrics.last?.isProxyConnection == true)
  }

  @Test(arguments: [NginxServer.Listener.http, .https])
  func challenges(_ listener: NginxServer.Listener) async throws {
    let front = try await TLSFront.start(before: try await SquidServer.authenticating.port, speaking: "http/1.1")
    let client = try await Self.client(front.port)
    let record = await client.load(try await NginxServer.shared.url(on: listener))
    #expect(record.body == DocumentRoot.small, "\(String(describing: record.error))")
    let space = try #require(record.challenges.first?.protectionSpace)
    #expect(record.challenges.count == 1 && space.isProxy() && space.port == Int(front.port))
    #expect(space.realm == "Proxy realm")
  }

  @Test(arguments: [NginxServer.Listener.http, .https])
  func aProxyThatCannotBeTrusted(_ listener: NginxServer.Listener) async throws {
    let front = try await TLSFront.start(before: try await SquidServer.shared.port, speaking: "http/1.1")
    let client = try await Self.client(front.port, trusts: false)
    let record = await client.load(try await NginxServer.shared.url(on: listener))
    #expect(record.code == .serverCertificateUntrusted, "\(String(describing: record.error))")
  }

  @Test func filesOfFTPServersByATunnel() async throws {
    let front = try await TLSFront.start(before: try await SquidServer.authenticating.port, speaking: "http/1.1")
    let client = try await Self.client(front.port)
    let record = await client.load(try await FTPServer.shared.url())
    #expect(record.body == DocumentRoot.small, "\(String(describing: record.error))")
    #expect(record.challenges.allSatisfy { $0.protectionSpace.isProxy() } && record.challenges.count == 1)
  }
}
