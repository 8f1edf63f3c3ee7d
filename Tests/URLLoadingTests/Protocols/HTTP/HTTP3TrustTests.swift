import Foundation
import Testing
import URLLoadingCurlTransport
import URLLoadingTestServers

@testable import URLLoading

/// What connections are judged by holds for HTTP/3, too.
@Suite(.timeLimit(.minutes(4)), .enabled(if: TransferLibrary.speaksHTTP3)) struct HTTP3TrustTests {
  private let certificates: TestCertificates

  init() async throws {
    certificates = try await TestCertificates.shared
  }

  /// On `localhost`, which no range of addresses is about.
  private func request(to caddy: CaddyServer, _ path: String = "/small.txt") throws -> URLRequest {
    URLRequest(url: try #require(URL(string: "https://localhost:\(caddy.securePort)\(path)")))
  }

  /// Nothing but HTTP/3.
  private func session(
    _ delegate: TrustDelegate, configure: (URLSessionConfiguration) -> Void = { _ in }
  ) -> URLSession {
    delegate.session { configuration in
      configuration.certificateAuthorityFile = certificates.authority
      configuration[QUICSettings.self].isOnlyWay = true
      configure(configuration)
    }
  }

  private func pin(_ file: URL) throws -> String {
    let certificate = try #require(SecCertificate.certificates(pem: try Data(contentsOf: file)).first)
    return try #require(certificate.publicKeyHash).base64EncodedString()
  }

  @Test func pinsHold() async throws {
    let request = try request(to: try await CaddyServer.shared)
    let right = try pin(certificates.server.certificate)
    let wrong = try pin(certificates.client.certificate)
    for digest in [right, wrong] {
      let session = session(.accepting()) {
        $0.appTransportSecurity = AppTransportSecurity([
          "NSPinnedDomains": ["localhost": ["NSPinnedLeafIdentities": [["SPKI-SHA256-BASE64": digest]]]]
        ])
      }
      defer { session.invalidateAndCancel() }
      if digest == right {
        #expect(try await session.data(for: request).0 == DocumentRoot.small)
      } else {
        let error = await #expect(throws: URLError.self) { try await session.data(for: request) }
        #expect(error?.code == .appTransportSecurityRequiresSecureConnection)
      }
    }
  }

  @Test func anIdentityLogsIn() async throws {
    let caddy = try await CaddyServer.start(
      tls: """
        client_auth {
          mode require_and_verify
          trusted_ca_cert_file \(certificates.authority.path)
        }
        """)
    let identity = try SecIdentity(
      pkcs12: try Data(contentsOf: certificates.clientPKCS12), passphrase: TestCertificates.pkcs12Password)
    let delegate = TrustDelegate { challenge in
      guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodClientCertificate else {
        return (.performDefaultHandling, nil)
      }
      return (.useCredential, URLCredential(identity: identity, certificates: nil, persistence: .forSession))
    }
    let session = session(delegate)
    defer { session.invalidateAndCancel() }
    for _ in 0..<2 { #expect(try await session.data(for: try request(to: caddy)).0 == DocumentRoot.small) }
    #expect(await delegate.metrics.wait { $0.last?.networkProtocolName == "h3" })
    let asked = delegate.methods.count { $0 == NSURLAuthenticationMethodClientCertificate }
    #expect(asked == 1)
    let other = self.session(.answering(.performDefaultHandling))
    defer { other.invalidateAndCancel() }
    await #expect(throws: URLError.self) { try await other.data(for: try request(to: caddy)) }
    await caddy.stop()
  }

  /// A connection, or a ticket of TLS, does not carry one delegate's judgement to another.
  @Test func eachDelegateIsAsked() async throws {
    let request = try request(to: try await CaddyServer.shared)
    for _ in 0..<3 {
      let delegate = TrustDelegate.accepting()
      let session = session(delegate) { $0.certificateAuthorityFile = nil }
      #expect(try await session.data(for: request).0 == DocumentRoot.small)
      #expect(delegate.methods == [NSURLAuthenticationMethodServerTrust])
      session.invalidateAndCancel()
      let refusing = TrustDelegate.answering(.cancelAuthenticationChallenge)
      let other = self.session(refusing) { $0.certificateAuthorityFile = nil }
      let error = await #expect(throws: URLError.self) { try await other.data(for: request) }
      #expect(error?.code == .cancelled && refusing.methods.count == 1)
      other.invalidateAndCancel()
    }
  }
}
