internal import URLLoadingCCurl
internal import URLLoadingCOpenSSL

/// Reads the parameters of a transfer's TLS connection, if libcurl speaks TLS by the OpenSSL that this package is linked with.
enum TLSInspector {
  /// The session of a transfer's connection; nil when that is not OpenSSL's. To be asked while the transfer has its connection, which
  /// the session lives as long as.
  static func session(of curl: UnsafeMutableRawPointer) -> OpaquePointer? {
    var backend = CURLSSLBACKEND_NONE
    guard CurlLibrary.shared.usesLinkedOpenSSL, let session = ccurl_get_tls_session(curl, &backend),
      backend == CURLSSLBACKEND_OPENSSL
    else { return nil }
    return OpaquePointer(session)
  }

  /// Closes the output of a session (RFC 8446, section 6.1), and returns the bytes of close_notify for the peer.
  ///
  /// libcurl's own BIO cannot write them: it belongs to a call of libcurl's, and crashes outside of one where the connection has broken.
  static func closingBytes(_ session: OpaquePointer) -> [UInt8] {
    guard let usual = SSL_get_wbio(session), let memory = BIO_new(BIO_s_mem()) else { return [] }
    BIO_up_ref(usual)
    // Both setters take the reference that they are given.
    SSL_set0_wbio(session, memory)
    SSL_shutdown(session)
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = BIO_read(memory, &bytes, Int32(bytes.count))
    SSL_set0_wbio(session, usual)
    ERR_clear_error()
    return Array(bytes.prefix(max(0, Int(count))))
  }

  /// Whether the peer has sent close_notify (RFC 8446, section 6.1).
  static func isClosedByPeer(_ session: OpaquePointer) -> Bool {
    SSL_get_shutdown(session) & SSL_RECEIVED_SHUTDOWN != 0
  }

  /// The protocol that both sides agreed on (RFC 7301); empty for none, nil when that cannot be known. To be asked while the
  /// transfer has its connection.
  static func protocolName(of curl: UnsafeMutableRawPointer) -> String? {
    guard let session = session(of: curl) else { return nil }
    var name: UnsafePointer<UInt8>?
    var length: UInt32 = 0
    SSL_get0_alpn_selected(session, &name, &length)
    return String(decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF8.self)
  }

  /// The version and the cipher suite, as on the wire. To be asked while the transfer has its connection.
  static func parameters(of curl: UnsafeMutableRawPointer) -> (version: UInt16?, cipherSuite: UInt16?) {
    guard let session = session(of: curl) else { return (nil, nil) }
    let number = SSL_version(session)
    let suite = SSL_get_current_cipher(session).map { SSL_CIPHER_get_protocol_id($0) }
    return (number > 0 ? UInt16(truncatingIfNeeded: number) : nil, suite)
  }
}
