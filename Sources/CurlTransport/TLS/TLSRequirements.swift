import Foundation
internal import URLLoadingX509

/// The requirements on a connection beyond those of TLS and the session's configuration, as in App Transport Security.
package struct TLSRequirements: Sendable, Equatable {
  /// The oldest version; nil for the session's.
  package var minimumVersion: TLSConfiguration.Version?
  /// Only key exchanges after which traffic cannot be read with the server's key: ECDHE.
  package var requiresForwardSecrecy = false
  /// The smallest RSA key, in bits; 0 for any.
  package var minimumRSABits = 0
  /// The smallest key on an elliptic curve, in bits; 0 for any.
  package var minimumEllipticCurveBits = 0
  /// The shortest digest that certificates are signed over, in bits; 0 for any.
  package var minimumDigestBits = 0
  /// SHA-256 digests of SubjectPublicKeyInfo, one of which the server's own certificate has to have; empty for any.
  package var leafPins: Set<Data> = []
  /// The same, of any other certificate of the chain.
  package var authorityPins: Set<Data> = []
  /// Whether the owner may accept a server whose certificates are not trusted.
  package var allowsOverridingTrust = true

  package init() {}

  package enum Rule: Sendable { case minimumVersion, forwardSecrecy, keySize, signature, pinnedLeaf, pinnedAuthority }

  /// A rule that a server breaks.
  package struct Violation: Sendable, Equatable {
    package let rule: Rule
    /// What the server has instead of the required value.
    package let found: String
  }

  /// Nil where the server keeps all.
  func violation(by peer: ShownPeer) -> Violation? {
    if let minimumVersion, peer.parameters.version < minimumVersion.wireNumber {
      return Violation(rule: .minimumVersion, found: peer.parameters.versionName)
    }
    if requiresForwardSecrecy, !peer.parameters.hasForwardSecrecy {
      return Violation(rule: .forwardSecrecy, found: peer.parameters.cipherName)
    }
    let path = peer.path.isEmpty ? peer.certificates : peer.path
    for certificate in path {
      if let key = certificate.publicKey, let words = weakKeyReason(key) {
        return Violation(rule: .keySize, found: words)
      }
      // A root's own signature proves nothing (RFC 5280, section 6.1).
      guard minimumDigestBits > 0, !certificate.isSelfIssued, let digest = certificate.signatureDigest,
        digest.bits < minimumDigestBits
      else { continue }
      return Violation(rule: .signature, found: digest.name)
    }
    return brokenPins(path)
  }

  private func weakKeyReason(_ key: PublicKey) -> String? {
    switch key.kind {
    case .rsa where key.bits < minimumRSABits: "a key of RSA with \(key.bits) bits"
    case .ellipticCurve where key.bits < minimumEllipticCurveBits: "a key on a curve of \(key.bits) bits"
    default: nil
    }
  }

  private func brokenPins(_ path: [X509Certificate]) -> Violation? {
    let pins = path.map { $0.publicKey?.pin ?? Data() }
    if !leafPins.isEmpty, !leafPins.contains(pins.first ?? Data()) {
      return Violation(rule: .pinnedLeaf, found: pins.first?.base64EncodedString() ?? "none")
    }
    if !authorityPins.isEmpty, authorityPins.isDisjoint(with: pins.dropFirst()) {
      let found = pins.dropFirst().map { $0.base64EncodedString() }.joined(separator: ", ")
      return Violation(rule: .pinnedAuthority, found: found.isEmpty ? "none" : found)
    }
    return nil
  }
}

extension TLSConfiguration.Version {
  /// As on the wire: 0x0301 is TLS 1.0. libcurl counts from 4.
  var wireNumber: Int { 0x0301 + rawValue - Self.v10.rawValue }
}
