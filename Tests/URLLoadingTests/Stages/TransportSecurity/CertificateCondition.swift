import Foundation
import URLLoadingTestServers

@testable import URLLoading

/// What is wrong with the certificate that a server on 127.0.0.1 shows, and what loads from it come to, by who judges; `TrustTable` has
/// many more for servers of `https`.
enum CertificateCondition: String, CaseIterable, Sendable {
  case good = "loads     | loads  | loads     | untrusted"
  case expired = "expired   | -date  | cancelled | expired"
  case wrongHost = "untrusted | -name  | cancelled | untrusted"
  case selfSigned = "unknown   | -chain | cancelled | unknown"

  var identity: TestCertificates.Identity {
    get async throws {
      let certificates = try await TestCertificates.shared
      return switch self {
      case .good: certificates.server
      case .expired: certificates.expired
      case .wrongHost: certificates.wrongHost
      case .selfSigned: certificates.selfSigned
      }
    }
  }

  /// What a load comes to, where `certificates.authority` is trusted, and pinned. Nil where a cell cannot be read.
  func outcome(_ behaviour: TrustBehaviour) -> TrustOutcome? {
    let cells = rawValue.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    let index =
      switch behaviour {
      case .none, .byDefault: 0
      case .accepts: 1
      case .pins: 2
      case .rejects: 3
      }
    return TrustOutcome(cells[index])
  }

  /// The digest of the authority's key.
  static var pin: Data {
    get async throws {
      let file = try await TestCertificates.shared.authority
      let authority = SecCertificate.certificates(pem: try Data(contentsOf: file)).first
      guard let digest = authority?.publicKeyHash else { throw TestServerError("\(file.path) has no certificate") }
      return digest
    }
  }
}
