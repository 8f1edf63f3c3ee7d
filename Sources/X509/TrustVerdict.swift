internal import URLLoadingCOpenSSL

/// What verifying a chain of certificates came to.
package struct TrustVerdict: Sendable, Equatable {
  /// OpenSSL's `X509_V_ERR_*` number; 0 where the chain is trusted.
  package var code: Int
  /// In words: what is wrong, and with which certificate.
  package var reason: String
  /// What is wrong besides, each once.
  package var further: [TrustVerdict] = []

  package static let trusted = TrustVerdict(code: 0, reason: "")

  package init(code: Int, reason: String) {
    self.code = code
    self.reason = reason
  }

  package var isTrusted: Bool { code == Int(X509_V_OK) }

  /// All that is wrong; empty where the chain is trusted.
  package var failures: [TrustVerdict] { isTrusted ? [] : [self] + further }

  /// The gravest of what is wrong: a date is the least, so that whoever overlooks that one overlooks nothing else with it.
  package var gravest: TrustVerdict {
    failures.min { Self.leniency(of: $0.code) < Self.leniency(of: $1.code) } ?? self
  }

  private static func leniency(of code: Int) -> Int {
    switch Int32(clamping: code) {
    case X509_V_ERR_CERT_REVOKED: 0
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: 2
    case X509_V_ERR_CERT_NOT_YET_VALID, X509_V_ERR_CERT_HAS_EXPIRED: 3
    default: 1
    }
  }

  /// Records another failure.
  package mutating func add(_ failure: TrustVerdict) {
    if isTrusted {
      self = failure
    } else if !failures.contains(where: { $0.code == failure.code }) {
      further.append(failure)
    }
  }

  /// OpenSSL's words for a code, about a certificate of the chain.
  static func failure(_ code: Int32, at certificate: X509Certificate?) -> TrustVerdict {
    let words = X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "error \(code)"
    let name = certificate?.summary.map { " (certificate of \($0))" } ?? ""
    return TrustVerdict(code: Int(code), reason: "\(words)\(name)")
  }

  /// The certificate is for other hosts.
  static func mismatch(_ host: String, isAddress: Bool, of certificate: X509Certificate) -> TrustVerdict {
    let names = certificate.subjectNames
    var all = names.dns + names.addresses
    if all.isEmpty, let name = certificate.commonName { all = [name] }
    let list = all.prefix(10).joined(separator: ", ") + (all.count > 10 ? " and \(all.count - 10) more" : "")
    return TrustVerdict(
      code: Int(isAddress ? X509_V_ERR_IP_ADDRESS_MISMATCH : X509_V_ERR_HOSTNAME_MISMATCH),
      reason: "the certificate is not for \(host), but for \(list.isEmpty ? "no host" : list)")
  }

  /// The server's own authority has said that the certificate is revoked.
  package static func revoked(_ words: String) -> TrustVerdict {
    TrustVerdict(code: Int(X509_V_ERR_CERT_REVOKED), reason: words)
  }
}
