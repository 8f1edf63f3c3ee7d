import Foundation
internal import URLLoadingCOpenSSL

/// The key of a certificate.
package struct PublicKey: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    case rsa
    case ellipticCurve
    /// Another kind, by OpenSSL's name for it.
    case other(String)
  }

  package let kind: Kind
  /// The size: of RSA the modulus', of elliptic curves the field's. 0 where OpenSSL cannot read the key.
  package let bits: Int
  /// The SubjectPublicKeyInfo (RFC 5280, section 4.1.2.7) in DER: what pins are digests of (RFC 7469, section 2.4).
  package let info: Data
  /// The key alone: of RSA in the form of PKCS #1, of elliptic curves the point, not compressed as a rule (ANSI X9.63).
  package let representation: Data

  init?(_ key: OpaquePointer) {
    var bytes: UnsafePointer<UInt8>?
    var length: Int32 = 0
    var algorithm: OpaquePointer?
    guard let info = DER.encoding({ i2d_X509_PUBKEY(key, $0) }),
      X509_PUBKEY_get0_param(&algorithm, &bytes, &length, nil, key) == 1, let bytes, length > 0
    else { return nil }
    self.info = info
    representation = Data(bytes: bytes, count: Int(length))
    // Nil for an algorithm or a curve that OpenSSL does not know.
    let readable = X509_PUBKEY_get0(key)
    ERR_clear_error()
    bits = readable.map { Int(EVP_PKEY_get_bits($0)) } ?? 0
    switch OBJ_obj2nid(algorithm) {
    case NID_rsaEncryption, NID_rsassaPss: kind = .rsa
    case NID_X9_62_id_ecPublicKey: kind = .ellipticCurve
    case let identifier: kind = .other(OBJ_nid2sn(identifier).map { String(cString: $0) } ?? "unknown")
    }
  }

  /// What HTTP public key pins and App Transport Security compare.
  package var pin: Data { Digest.sha256(info) }
}
