import Foundation
internal import URLLoadingCOpenSSL

/// What a stapled OCSP response (RFC 6960, RFC 6066 section 8) says about a server's certificate.
package enum OCSPStatus: Sendable, Equatable {
  /// The server sent none.
  case absent
  /// The authority vouches for the certificate.
  case good
  /// The authority has revoked it.
  case revoked(at: Date?, reason: String?)
  /// The authority does not know the certificate.
  case unknown
  /// The response is damaged, out of date, about another certificate, or not signed by the authority.
  case invalid(String)

  /// Clocks of server and client may differ by this, in seconds.
  private static let tolerance = 300

  /// - Parameters:
  ///   - response: in DER.
  ///   - path: the server's certificate, that of its issuer, and so on.
  ///   - store: the roots of the connection.
  static func reading(_ response: UnsafeBufferPointer<UInt8>, for path: [X509Certificate], _ store: OpaquePointer?)
    -> OCSPStatus
  {
    defer { ERR_clear_error() }
    var position = response.baseAddress
    guard path.count > 1, let store else { return .invalid("the issuer's certificate is not known") }
    guard let read = d2i_OCSP_RESPONSE(nil, &position, response.count) else { return .invalid("it is damaged") }
    defer { OCSP_RESPONSE_free(read) }
    let answer = OCSP_response_status(read)
    guard answer == OCSP_RESPONSE_STATUS_SUCCESSFUL, let basic = OCSP_response_get1_basic(read) else {
      return .invalid(
        OCSP_response_status_str(Int(answer)).map { "the authority says: \(String(cString: $0))" } ?? "it is damaged")
    }
    defer { OCSP_BASICRESP_free(basic) }
    let others = copenssl_x509_stack()
    defer { copenssl_x509_stack_free(others) }
    for certificate in path.dropFirst() { _ = copenssl_x509_push(others, certificate.pointer) }
    guard OCSP_basic_verify(basic, others, store, 0) == 1 else {
      return .invalid("its signature is not the authority's")
    }
    return status(of: path[0], issuedBy: path[1], in: basic)
  }

  private static func status(
    of certificate: X509Certificate, issuedBy issuer: X509Certificate, in response: OpaquePointer
  ) -> OCSPStatus {
    // Responders name certificates by digests of SHA-1 as a rule (RFC 6960, section 4.3), or of SHA-256.
    for digest in [EVP_sha1(), EVP_sha256()] {
      guard let identifier = OCSP_cert_to_id(digest, certificate.pointer, issuer.pointer) else { continue }
      defer { OCSP_CERTID_free(identifier) }
      var status: Int32 = 0
      var reason: Int32 = 0
      var revoked: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
      var updated: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
      var next: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
      guard OCSP_resp_find_status(response, identifier, &status, &reason, &revoked, &updated, &next) == 1 else {
        continue
      }
      guard OCSP_check_validity(updated, next, tolerance, -1) == 1 else { return .invalid("it is out of date") }
      switch status {
      case V_OCSP_CERTSTATUS_GOOD: return .good
      case V_OCSP_CERTSTATUS_REVOKED:
        let words = reason >= 0 ? OCSP_crl_reason_str(Int(reason)).map { String(cString: $0) } : nil
        return .revoked(at: Date(revoked), reason: words)
      default: return .unknown
      }
    }
    return .invalid("it is about another certificate")
  }
}
