import Foundation
internal import URLLoadingCOpenSSL

/// A certificate with its private key, and the certificates between it and an authority.
// Safe to share: the key does not change after init, and OpenSSL counts its references atomically.
package final class ClientIdentity: @unchecked Sendable {
  package let certificate: X509Certificate
  /// What is sent along with the certificate.
  package let intermediates: [X509Certificate]
  private let key: OpaquePointer

  /// Takes over a reference of the key. Nil where the key is not that of the certificate.
  init?(_ certificate: X509Certificate, owning key: OpaquePointer, intermediates: [X509Certificate]) {
    guard X509_check_private_key(certificate.pointer, key) == 1 else {
      ERR_clear_error()
      EVP_PKEY_free(key)
      return nil
    }
    self.certificate = certificate
    self.intermediates = intermediates
    self.key = key
  }

  deinit { EVP_PKEY_free(key) }

  /// The same, with other certificates between.
  package func with(intermediates: [X509Certificate]) -> ClientIdentity? {
    guard EVP_PKEY_up_ref(key) == 1 else { return nil }
    return ClientIdentity(certificate, owning: key, intermediates: intermediates)
  }

  /// Has a connection log in with it.
  /// - Parameter session: OpenSSL's `SSL`, in the callback that asks for a certificate.
  package func use(in session: OpaquePointer) -> Bool {
    guard SSL_use_certificate(session, certificate.pointer) == 1, SSL_use_PrivateKey(session, key) == 1 else {
      return false
    }
    return intermediates.allSatisfy { copenssl_add_chain_certificate(session, $0.pointer) == 1 }
  }
}
