internal import URLLoadingCOpenSSL

/// OpenSSL's security level (`SSL_CTX_set_security_level`): which keys and digests are too weak.
enum SecurityLevel {
  /// That of new connections, by the system's configuration of OpenSSL.
  static let ofConnections: Int32 = {
    guard let context = SSL_CTX_new(TLS_client_method()) else { return 1 }
    defer { SSL_CTX_free(context) }
    return SSL_CTX_get_security_level(context)
  }()
}
