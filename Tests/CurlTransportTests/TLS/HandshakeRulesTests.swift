import Foundation
import Testing
import URLLoadingTestServers
import URLLoadingX509

@testable import URLLoadingCurlTransport

/// What becomes of a handshake.
@Suite struct HandshakeRulesTests {
  private let server: X509Certificate
  private let other: X509Certificate
  private let authority: X509Certificate
  private let endpoint = TLSEndpoint(host: "localhost", port: 443)

  init() async throws {
    let certificates = try await TestCertificates.shared
    func read(_ file: URL) throws -> X509Certificate {
      try #require(IdentityFile.readCertificates(try Data(contentsOf: file)).first)
    }
    server = try read(certificates.server.certificate)
    other = try read(certificates.expired.certificate)
    authority = try read(certificates.authority)
  }

  private let untrusted = TrustVerdict(code: 20, reason: "no issuer")

  private func peer(_ verdict: TrustVerdict = .trusted, _ leaf: X509Certificate? = nil) -> ShownPeer {
    var peer = ShownPeer(
      endpoint: endpoint, certificates: [leaf ?? server], path: [leaf ?? server, authority], verdict: verdict,
      stapled: .absent)
    peer.parameters.version = 0x0304
    peer.parameters.hasForwardSecrecy = true
    return peer
  }

  private func rules(_ change: (inout ConnectionSecurity) -> Void = { _ in }) -> HandshakeRules {
    var security = ConnectionSecurity(pool: ConnectionPoolKey())
    change(&security)
    return HandshakeRules(security: security)
  }

  @Test func withoutAnOwnerTheVerdictDecides() {
    #expect(rules().evaluate(peer()) == .proceed(ConnectionVerification(peer())))
    #expect(rules().evaluate(peer(untrusted)) == .refuse(.untrustedServer(untrusted)))
  }

  @Test func anOwnerIsAskedWhateverTheVerdict() {
    let rules = rules { $0.asksForTrust = true }
    #expect(rules.evaluate(peer()) == .ask && rules.evaluate(peer(untrusted)) == .ask)
  }

  @Test func exactlyWhatWasAcceptedProceeds() {
    let rules = rules {
      $0.asksForTrust = true
      $0.answers[endpoint, default: .init()].acceptedCertificates = [server]
    }
    #expect(rules.evaluate(peer(untrusted)) == .proceed(ConnectionVerification(peer(untrusted))))
    // Another chain is refused, trusted or not; another endpoint is asked about.
    #expect(rules.evaluate(peer(.trusted, other)) == .refuse(.changedCertificates(host: "localhost")))
    var proxy = peer(untrusted)
    proxy.endpoint = TLSEndpoint(host: "localhost", port: 443, isProxy: true)
    #expect(rules.evaluate(proxy) == .ask)
  }

  /// RFC 6797, section 8.4.
  @Test func nobodyAcceptsAKnownHost() {
    let rules = rules {
      ($0.asksForTrust, $0.isKnownHost) = (true, true)
      $0.answers[endpoint, default: .init()].acceptedCertificates = [server]
    }
    #expect(rules.evaluate(peer(untrusted)) == .refuse(.untrustedKnownHost(untrusted)))
    #expect(rules.evaluate(peer()) == .proceed(ConnectionVerification(peer())))
    #expect(TransferFailure(.untrustedKnownHost(untrusted)).urlErrorCode == .serverCertificateUntrusted)
    // The way to the host is none of its business.
    var proxy = peer(untrusted)
    proxy.endpoint = TLSEndpoint(host: "localhost", port: 443, isProxy: true)
    #expect(rules.evaluate(proxy) == .ask)
  }

  @Test func requirementsAreNotForProxies() {
    var requirements = TLSRequirements()
    (requirements.leafPins, requirements.allowsOverridingTrust) = ([Data([1])], false)
    let rules = rules { ($0.asksForTrust, $0.requirements) = (true, requirements) }
    guard case .refuse(.brokenRequirement) = rules.evaluate(peer()) else {
      Issue.record("\(rules.evaluate(peer()))")
      return
    }
    var proxy = peer(untrusted)
    proxy.endpoint = TLSEndpoint(host: "localhost", port: 443, isProxy: true)
    #expect(rules.evaluate(proxy) == .ask)
  }

  @Test func aConnectionThroughAProxyHasTwoVerdicts() {
    var handshakes = Handshakes()
    let proxy = ProxyServer(kind: .https, host: "proxy.example", port: 3129)
    _ = handshakes.begins(url: "https://localhost/", proxy: proxy)
    handshakes.proceed(ConnectionVerification(peer(untrusted)))
    // Where the URL is of http, there is no other.
    #expect(handshakes.verification?.verdict == .trusted && handshakes.verification?.proxyVerdict == untrusted)
    _ = handshakes.begins(url: "https://localhost/", proxy: proxy)
    #expect(handshakes.verification == nil)
    handshakes.proceed(ConnectionVerification(peer()))
    #expect(handshakes.verification?.verdict == .trusted && handshakes.verification?.proxyVerdict == untrusted)
    handshakes = Handshakes()
    _ = handshakes.begins(url: "https://localhost/", proxy: nil)
    handshakes.proceed(ConnectionVerification(peer(untrusted)))
    #expect(handshakes.verification?.verdict == untrusted && handshakes.verification?.proxyVerdict == nil)
  }

  @Test func defaultHandlingTakesTheChainsThatItWasAskedAbout() {
    let rules = rules {
      $0.asksForTrust = true
      $0.answers[endpoint, default: .init()].trustedChains = [[server]]
    }
    #expect(rules.evaluate(peer()) == .proceed(ConnectionVerification(peer())))
    // Another chain may lack a pin that the owner has found; and the same may have been revoked meanwhile.
    #expect(rules.evaluate(peer(.trusted, other)) == .ask)
    #expect(rules.evaluate(peer(untrusted)) == .ask)
  }

  @Test func requirementsGoBeforeTheOwner() throws {
    let pin = try #require(server.publicKey?.pin)
    let authorityPin = try #require(authority.publicKey?.pin)
    func violated(_ change: (inout TLSRequirements) -> Void) -> TLSRequirements.Rule? {
      var requirements = TLSRequirements()
      change(&requirements)
      let rules = rules {
        $0.requirements = requirements
        $0.asksForTrust = true
        $0.answers[endpoint, default: .init()].acceptedCertificates = [server]
      }
      guard case .refuse(.brokenRequirement(let violation)) = rules.evaluate(peer(untrusted)) else { return nil }
      return violation.rule
    }
    #expect(violated { _ in } == nil)
    #expect(violated { $0.leafPins = [authorityPin] } == .pinnedLeaf)
    #expect(violated { $0.leafPins = [pin, authorityPin] } == nil)
    #expect(violated { $0.authorityPins = [pin] } == .pinnedAuthority)
    #expect(violated { $0.authorityPins = [authorityPin] } == nil)
    #expect(violated { $0.minimumEllipticCurveBits = 384 } == .keySize)
    #expect(violated { $0.minimumEllipticCurveBits = 256 } == nil)
    #expect(violated { $0.minimumRSABits = 8192 } == nil)
    #expect(violated { $0.minimumDigestBits = 384 } == .signature)
    #expect(violated { $0.minimumDigestBits = 256 } == nil)
    #expect(violated { $0.minimumVersion = .v13 } == nil)
  }

  @Test func whatTheConnectionHasIsJudged() {
    var old = peer()
    old.parameters.version = 0x0303
    old.parameters.hasForwardSecrecy = false
    var requirements = TLSRequirements()
    requirements.minimumVersion = .v13
    #expect(requirements.violation(by: old)?.rule == .minimumVersion)
    requirements.minimumVersion = .v12
    #expect(requirements.violation(by: old) == nil)
    requirements.requiresForwardSecrecy = true
    #expect(requirements.violation(by: old)?.rule == .forwardSecrecy)
  }

  @Test func onlyWhatIsTrustedMayBeAcceptedWhereTrustIsNotToBeOverridden() {
    let rules = rules {
      $0.requirements = TLSRequirements()
      $0.requirements?.allowsOverridingTrust = false
      $0.asksForTrust = true
    }
    #expect(rules.evaluate(peer()) == .ask)
    #expect(rules.evaluate(peer(untrusted)) == .refuse(.untrustedServer(untrusted)))
  }

  @Test func aStapledResponseChangesTheVerdict() {
    var revoked = peer()
    revoked.record(.revoked(at: nil, reason: "keyCompromise"))
    #expect(!revoked.verdict.isTrusted && revoked.verdict.reason.contains("keyCompromise"))
    var absent = peer()
    absent.record(.absent)
    #expect(absent.verdict.isTrusted)
  }
}
