import Foundation
internal import URLLoadingCOpenSSL

/// What both sides of a handshake have agreed on.
package struct HandshakeParameters: Sendable, Equatable {
  /// As on the wire: 0x0303 is TLS 1.2.
  package var version = 0
  package var versionName = "no TLS"
  package var cipherName = "no cipher"
  /// Keys are exchanged by ECDHE, as always in TLS 1.3.
  package var hasForwardSecrecy = false

  /// RFC 9000, section 15.
  private static let quic1 = 1
  private static let tls13 = 0x0304

  package init() {}

  /// - Parameter session: OpenSSL's `SSL`, when the server has spoken.
  package init(_ session: OpaquePointer) {
    version = Int(SSL_version(session))
    versionName = SSL_get_version(session).map { String(cString: $0) } ?? versionName
    // OpenSSL's QUIC says its own version in place of that of TLS, which is 1.3 (RFC 9001, section 4.2).
    if version == Self.quic1 { (version, versionName) = (Self.tls13, "TLSv1.3") }
    guard let cipher = SSL_get_pending_cipher(session) ?? SSL_get_current_cipher(session) else { return }
    cipherName = SSL_CIPHER_get_name(cipher).map { String(cString: $0) } ?? cipherName
    let exchange = SSL_CIPHER_get_kx_nid(cipher)
    hasForwardSecrecy = exchange == NID_kx_ecdhe || exchange == NID_kx_any
  }
}
