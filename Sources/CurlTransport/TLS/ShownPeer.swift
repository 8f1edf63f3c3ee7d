import Foundation
package import URLLoadingX509

/// The certificates that a server or an HTTPS proxy sent in a handshake, and the result of their verification.
package struct ShownPeer: Sendable, Equatable {
  package var endpoint: TLSEndpoint
  /// As they were sent, the server's own first.
  package var certificates: [X509Certificate]
  /// From the server's own up to a root; shorter where none was found.
  package var path: [X509Certificate]
  package var verdict: TrustVerdict
  package var stapled: OCSPStatus
  package var parameters = HandshakeParameters()
  /// The stapled OCSP response in DER, for an evaluation with other roots.
  package var stapledResponse: Data?

  package init(
    endpoint: TLSEndpoint, certificates: [X509Certificate], path: [X509Certificate], verdict: TrustVerdict,
    stapled: OCSPStatus
  ) {
    self.endpoint = endpoint
    self.certificates = certificates
    self.path = path
    self.verdict = verdict
    self.stapled = stapled
  }

  /// Takes the stapled response into account: a revoked certificate is not trusted, nor one that has to have a response and has none.
  mutating func record(_ stapled: OCSPStatus) {
    self.stapled = stapled
    guard let leaf = certificates.first, let reason = stapled.refusal(of: leaf) else { return }
    verdict.add(.revoked(reason))
  }
}

extension OCSPStatus {
  /// Why a certificate is refused with this status, in words; nil where it is not.
  package func refusal(of certificate: X509Certificate) -> String? {
    switch self {
    case .good: return nil
    case .revoked(_, let reason):
      return
        "its authority has revoked the server's certificate\(reason.map { " (\($0))" } ?? ""), as the OCSP response says that the server sent"
    case .absent where certificate.mustStaple:
      return "the server's certificate has to come with an OCSP response (RFC 7633), and the server sent none"
    case .unknown where certificate.mustStaple:
      return
        "the server's certificate has to come with an OCSP response (RFC 7633), and the one that came does not know it"
    case .invalid(let reason) where certificate.mustStaple:
      return
        "the server's certificate has to come with an OCSP response (RFC 7633), and the one that came is of no use: \(reason)"
    case .absent, .unknown, .invalid: return nil
    }
  }
}
