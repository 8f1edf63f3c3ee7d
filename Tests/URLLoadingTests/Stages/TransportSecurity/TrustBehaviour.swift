import Foundation
import URLLoadingTestServers

@testable import URLLoading

/// How a session judges servers, or has them judged.
enum TrustBehaviour: CaseIterable, Sendable {
  /// There is no delegate.
  case none
  /// The delegate performs default handling.
  case byDefault
  /// The delegate accepts every server.
  case accepts
  /// The delegate evaluates, and looks for the key of its own authority.
  case pins
  /// The delegate rejects every server.
  case rejects

  /// - Parameter pin: the digest of the pinned key.
  func delegate(pin: Data) -> TrustDelegate? {
    switch self {
    case .none: nil
    case .byDefault: .answering(.performDefaultHandling)
    case .accepts: .accepting()
    case .pins: Self.pinning(pin)
    case .rejects: .answering(.rejectProtectionSpace)
    }
  }

  /// As it is done with care: the key has to be one of a chain that is trusted.
  private static func pinning(_ pin: Data) -> TrustDelegate {
    TrustDelegate { challenge in
      guard let trust = challenge.protectionSpace.serverTrust else { return (.performDefaultHandling, nil) }
      let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate] ?? []
      guard SecTrustEvaluateWithError(trust, nil), chain.contains(where: { $0.publicKeyHash == pin }) else {
        return (.cancelAuthenticationChallenge, nil)
      }
      return (.useCredential, URLCredential(trust: trust))
    }
  }
}
