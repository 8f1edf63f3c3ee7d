import Foundation
internal import URLLoadingCOpenSSL

/// Reads and judges what a server shows in a handshake, inside OpenSSL's callbacks.
package enum HandshakeChain {
  /// Verifies the chain of a handshake with the connection's own roots, and leaves it to later callbacks to refuse it.
  ///
  /// - Parameters:
  ///   - context: OpenSSL's `X509_STORE_CTX`, in the callback of `SSL_CTX_set_cert_verify_callback`.
  ///   - host: the host that the certificate has to be for.
  /// - Returns: what the server sent, the chain up to a root, and the verdict; nil where the server sent nothing that can be read.
  package static func verify(
    _ context: OpaquePointer, host: String
  ) -> (sent: [X509Certificate], path: [X509Certificate], verdict: TrustVerdict)? {
    guard let pointer = X509_STORE_CTX_get0_cert(context), let leaf = X509Certificate(retaining: pointer) else {
      return nil
    }
    let (verdict, path) = TrustEvaluation.verify(context, leaf, host: host)
    // libcurl looks at this after the handshake.
    X509_STORE_CTX_set_error(context, X509_V_OK)
    ERR_clear_error()
    let others = TrustEvaluation.certificates(of: X509_STORE_CTX_get0_untrusted(context))
    return ([leaf] + others.filter { $0 != leaf }, path, verdict)
  }

  /// The server's stapled OCSP response, in DER; nil where it sent none.
  package static func stapledResponse(_ session: OpaquePointer) -> Data? {
    var length = 0
    return copenssl_stapled_response(session, &length).map { Data(bytes: $0, count: length) }
  }

  /// What that says, in the callback of `SSL_CTX_set_tlsext_status_cb`.
  ///
  /// - Parameters:
  ///   - session: OpenSSL's `SSL`.
  ///   - path: the chain up to a root.
  package static func stapledStatus(_ session: OpaquePointer, for path: [X509Certificate]) -> OCSPStatus {
    var length = 0
    guard let bytes = copenssl_stapled_response(session, &length) else { return .absent }
    let store = copenssl_roots(session) ?? SSL_CTX_get_cert_store(SSL_get_SSL_CTX(session))
    return .reading(UnsafeBufferPointer(start: bytes, count: length), for: path, store)
  }

  /// The chain that libcurl had OpenSSL verify, in the same callback.
  package static func verifiedPath(_ session: OpaquePointer) -> [X509Certificate] {
    TrustEvaluation.certificates(of: SSL_get0_verified_chain(session))
  }

  /// The names of the authorities whose certificates of clients the server accepts, in DER, when it has asked for one.
  package static func acceptedAuthorities(_ session: OpaquePointer) -> [Data] {
    let names = SSL_get0_peer_CA_list(session)
    return (0..<copenssl_name_count(names)).compactMap { index in
      let name = copenssl_name_at(names, index)
      return DER.encoding { i2d_X509_NAME(name, $0) }
    }
  }
}
