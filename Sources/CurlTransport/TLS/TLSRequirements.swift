import Foundation
internal import URLLoadingX509

/// What a connection has to keep beyond what TLS and the library's configuration ask, as App Transport Security has it.
package struct TLSRequirements: Sendable, Equatable {
  /// The oldest version; nil for the session's.
  package var minimumVersion: TLSConfiguration.Version?
  /// Only ciphers whose traffic cannot be read with the server's key later: ECDHE or DHE.
  package var requiresForwardSecrecy = false
  /// The smallest RSA key, in bits; 0 for any.
  package var minimumRSABits = 0
  /// The smallest key on an elliptic curve, in bits; 0 for any.
  package var minimumEllipticCurveBits = 0
  /// Signatures have to be over SHA-256 or longer digests.
  package var requiresSHA256 = false
  /// SHA-256 digests of SubjectPublicKeyInfo, one of which the server's own certificate has to have; empty for any.
  package var leafPins: Set<Data> = []
  /// The same, of any other certificate of the chain.
  package var authorityPins: Set<Data> = []
  /// What the requirements are called in errors, such as `App Transport Security`.
  package var name = "App Transport Security"

  package init() {}

  /// What a server breaks, in words; nil where it keeps all.
  func violation(by peer: ShownPeer) -> String? {
    let path = peer.path.isEmpty ? peer.certificates : peer.path
    guard let leaf = path.first else { return "\(name): the server has no certificate" }
    if let key = leaf.publicKey, let words = violation(by: key) { return words }
    // A root's own signature proves nothing (RFC 5280, section 6.1).
    for certificate in path where requiresSHA256 && !certificate.isSelfIssued {
      guard let digest = certificate.signatureDigest,
        ["MD5", "SHA1", "MD5-SHA1", "RSA-SHA1", "SHA224"].contains(digest)
      else { continue }
      return
        "\(name): the certificate of \(certificate.summary ?? "the server") is signed over \(digest); SHA256 is the least"
    }
    return brokenPins(path)
  }

  private func violation(by key: PublicKey) -> String? {
    let least: Int
    switch key.kind {
    case .rsa: least = minimumRSABits
    case .ellipticCurve: least = minimumEllipticCurveBits
    case .other: return nil
    }
    guard key.bits < least else { return nil }
    return "\(name): the server's key has \(key.bits) bits, \(least) are the least"
  }

  private func brokenPins(_ path: [X509Certificate]) -> String? {
    if !leafPins.isEmpty, path.first?.publicKey.map({ leafPins.contains($0.pin) }) != true {
      return "\(name): the server's key is none of those that are pinned for its domain (NSPinnedLeafIdentities)"
    }
    let authorities = path.dropFirst()
    if !authorityPins.isEmpty,
      !authorities.contains(where: { $0.publicKey.map { authorityPins.contains($0.pin) } == true })
    {
      return
        "\(name): no authority of the server's certificate is one that is pinned for its domain (NSPinnedCAIdentities)"
    }
    return nil
  }
}
