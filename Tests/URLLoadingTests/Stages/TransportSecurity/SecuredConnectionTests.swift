import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// App Transport Security, with real servers.
@Suite(.timeLimit(.minutes(4))) struct SecuredConnectionTests {
  private let certificates: TestCertificates
  private let nginx: NginxServer

  init() async throws {
    certificates = try await TestCertificates.shared
    nginx = try await NginxServer.shared
  }

  /// Loads from a server on `localhost`, which no range of addresses is about.
  private func load(
    _ dictionary: [String: Any], from server: NginxServer? = nil, on listener: NginxServer.Listener = .https,
    as delegate: TrustDelegate? = nil
  ) async throws -> Data {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.certificateAuthorityFile = certificates.authority
    configuration.appTransportSecurity = AppTransportSecurity(dictionary)
    let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    defer { session.finishTasksAndInvalidate() }
    return try await session.data(from: (server ?? nginx).url(on: listener, host: "localhost")).0
  }

  private func refusal(_ body: () async throws -> Data) async -> URLError? {
    do {
      _ = try await body()
      return nil
    } catch { return error as? URLError }
  }

  private func pin(_ file: URL) throws -> String {
    let certificate = try #require(SecCertificate.certificates(pem: try Data(contentsOf: file)).first)
    return try #require(certificate.publicKeyHash).base64EncodedString()
  }

  private func pinned(_ key: String, _ digest: String) -> [String: Any] {
    ["NSPinnedDomains": ["localhost": [key: [["SPKI-SHA256-BASE64": digest]]]]]
  }

  @Test func aGoodServerIsLoadedFrom() async throws {
    #expect(try await load([:]) == DocumentRoot.small)
  }

  @Test func pinsOfTheServerAndOfItsAuthorityHold() async throws {
    let (server, authority) = (try pin(certificates.server.certificate), try pin(certificates.authority))
    #expect(try await load(pinned("NSPinnedLeafIdentities", server)) == DocumentRoot.small)
    #expect(try await load(pinned("NSPinnedCAIdentities", authority)) == DocumentRoot.small)
    for (key, digest) in [("NSPinnedLeafIdentities", authority), ("NSPinnedCAIdentities", server)] {
      let error = await refusal { try await load(pinned(key, digest)) }
      #expect(error?.code == .appTransportSecurityRequiresSecureConnection)
      #expect(
        error?.localizedDescription.contains(key) == true && error?.localizedDescription.contains("localhost") == true)
    }
    // A delegate that accepts every server does not get around them.
    let error = await refusal {
      try await load(pinned("NSPinnedLeafIdentities", authority), as: TrustDelegate.accepting())
    }
    #expect(error?.code == .appTransportSecurityRequiresSecureConnection)
  }

  @Test func aDelegateMayAcceptOnlyWhatIsTrusted() async throws {
    let delegate = TrustDelegate.accepting()
    #expect(try await load([:], as: delegate) == DocumentRoot.small)
    #expect(delegate.challenges.value.count == 1)
    let error = await refusal { try await load([:], on: .httpsSelfSigned, as: delegate) }
    #expect(error?.code == .serverCertificateUntrusted && delegate.challenges.value.count == 1)
    let open: [String: Any] = ["NSExceptionDomains": ["localhost": ["NSExceptionAllowsInsecureHTTPLoads": true]]]
    #expect(try await load(open, on: .httpsSelfSigned, as: delegate) == DocumentRoot.small)
  }

  @Test func theVersionThatADomainAsksForHolds() async throws {
    let old = try await NginxServer.start(directives: "ssl_protocols TLSv1.2;")
    let dictionary: [String: Any] = ["NSExceptionDomains": ["localhost": ["NSExceptionMinimumTLSVersion": "TLSv1.3"]]]
    let error = await refusal { try await load(dictionary, from: old) }
    #expect(error?.code == .appTransportSecurityRequiresSecureConnection)
    #expect(error?.localizedDescription.contains("TLSv1.2") == true)
    #expect(error?.localizedDescription.contains("NSExceptionMinimumTLSVersion") == true)
    #expect(try await load([:], from: old) == DocumentRoot.small)
    await old.stop()
  }
}
