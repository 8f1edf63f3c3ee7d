import Foundation
internal import URLLoadingCOpenSSL

/// A certificate (RFC 5280), as OpenSSL reads it.
// Safe to share: the pointer and what it points to do not change after init; what OpenSSL computes of it later is behind OpenSSL's lock.
package final class X509Certificate: @unchecked Sendable {
  let pointer: OpaquePointer
  /// The certificate as it came.
  package let der: Data

  /// Nil for what is no certificate, or has more after it.
  package init?(der: Data) {
    guard !der.isEmpty, der.count <= Self.largestCertificate else { return nil }
    let read = der.withUnsafeBytes { bytes -> OpaquePointer? in
      var position = bytes.bindMemory(to: UInt8.self).baseAddress
      guard let start = position, let read = d2i_X509(nil, &position, bytes.count) else { return nil }
      guard position == start + bytes.count else {
        X509_free(read)
        return nil
      }
      return read
    }
    ERR_clear_error()
    guard let read else { return nil }
    pointer = read
    self.der = der
  }

  /// One of a connection, or of a file. Counts a reference more.
  init?(retaining pointer: OpaquePointer) {
    guard let der = DER.encoding({ i2d_X509(pointer, $0) }), X509_up_ref(pointer) == 1 else { return nil }
    self.pointer = pointer
    self.der = der
  }

  deinit { X509_free(pointer) }

  /// In bytes; more than libcurl and OpenSSL take in a whole chain (`SSL_CTX_set_max_cert_list`).
  private static let largestCertificate = 1 << 20

  // MARK: Contents

  /// The whole subject, in the form of RFC 2253.
  package var subject: String { DistinguishedName.text(of: X509_get_subject_name(pointer)) }

  /// The whole issuer, in the form of RFC 2253.
  package var issuer: String { DistinguishedName.text(of: X509_get_issuer_name(pointer)) }

  /// What a person would call it: the subject's common name, or organization, or the first DNS name.
  package var summary: String? {
    let subject = X509_get_subject_name(pointer)
    return DistinguishedName.entry(NID_commonName, of: subject)
      ?? DistinguishedName.entry(NID_organizationName, of: subject) ?? subjectNames.dns.first
  }

  /// The subject's common name.
  package var commonName: String? { DistinguishedName.entry(NID_commonName, of: X509_get_subject_name(pointer)) }

  /// The serial number, its most significant byte first.
  package var serialNumber: Data {
    guard let number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(pointer), nil) else { return Data() }
    defer { BN_free(number) }
    var bytes = [UInt8](repeating: 0, count: Int(BN_num_bits(number) + 7) / 8)
    BN_bn2bin(number, &bytes)
    return Data(bytes)
  }

  /// From when on it is valid; nil for a date that cannot be read.
  package var notBefore: Date? { Date(X509_get0_notBefore(pointer)) }

  /// Until when it is valid; nil for a date that cannot be read.
  package var notAfter: Date? { Date(X509_get0_notAfter(pointer)) }

  /// The hosts that it is for: DNS names as they are there, addresses in the usual form. Names with a zero byte are left out.
  package var subjectNames: (dns: [String], addresses: [String]) {
    guard let names = copenssl_subject_names(pointer) else { return ([], []) }
    defer { copenssl_general_names_free(names) }
    var result: (dns: [String], addresses: [String]) = ([], [])
    for index in 0..<copenssl_general_name_count(names) {
      var kind: Int32 = 0
      var length: Int32 = 0
      guard let start = copenssl_general_name(names, index, &kind, &length), length > 0 else { continue }
      let bytes = UnsafeBufferPointer(start: start, count: Int(length))
      if kind == GEN_DNS {
        if !bytes.contains(0) { result.dns.append(String(decoding: bytes, as: UTF8.self)) }
      } else if let address = Self.address(bytes) {
        result.addresses.append(address)
      }
    }
    return result
  }

  /// Whether it has any DNS name or address, be that of use or not.
  package var hasSubjectNames: Bool {
    guard let names = copenssl_subject_names(pointer) else { return false }
    defer { copenssl_general_names_free(names) }
    var kind: Int32 = 0
    var length: Int32 = 0
    return (0..<copenssl_general_name_count(names)).contains {
      copenssl_general_name(names, $0, &kind, &length) != nil || kind == GEN_DNS || kind == GEN_IPADD
    }
  }

  private static func address(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard inet_ntop(family, bytes.baseAddress, &text, socklen_t(text.count)) != nil else { return nil }
    return text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
  }

  /// The digest that its signature is over, as OpenSSL calls it, such as `SHA256`, and its length; nil where the scheme has none, or it
  /// is unknown.
  package var signatureDigest: (name: String, bits: Int)? {
    var digest: Int32 = 0
    guard X509_get_signature_info(pointer, &digest, nil, nil, nil) == 1, digest != NID_undef,
      let name = OBJ_nid2sn(digest)
    else { return nil }
    let bits = EVP_get_digestbyname(name).map { Int(EVP_MD_get_size($0)) * 8 } ?? 0
    return (String(cString: name), bits)
  }

  /// The key that it is about; nil for one that cannot be read.
  package var publicKey: PublicKey? {
    guard let key = X509_get_X509_PUBKEY(pointer) else { return nil }
    return PublicKey(key)
  }

  /// Subject and issuer are the same.
  package var isSelfIssued: Bool { X509_NAME_cmp(X509_get_subject_name(pointer), X509_get_issuer_name(pointer)) == 0 }

  /// Its server always staples an OCSP response (RFC 7633).
  package var mustStaple: Bool { copenssl_must_staple(pointer) == 1 }

  /// The SHA-256 digest of the whole certificate.
  package var fingerprint: Data { Digest.sha256(der) }
}

extension X509Certificate: Hashable {
  package static func == (first: X509Certificate, second: X509Certificate) -> Bool {
    first === second || first.der == second.der
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(der) }
}
