internal import URLLoadingCOpenSSL

/// An open connection that takes many transfers at once.
// Loop thread only. The session is libcurl's, which frees it right before it closes the socket; with that, this is dropped.
struct MultiplexedConnection {
  let socket: Int32
  let ports: PortPair
  /// That of TLS; nil where it is not OpenSSL's.
  let session: OpaquePointer?
  /// Nil where the session is not OpenSSL's.
  let writes: SessionWrites?
  /// Whether there is another session below, with a proxy.
  let isThroughTLS: Bool
  /// QUIC: the turn of the loop in which a datagram came last.
  var lastDatagram: UInt64?

  /// Whether there may be input that was taken from the kernel, and that no transfer has read: part of a record is enough.
  var mayHaveInput: Bool {
    guard let session, !isThroughTLS else { return true }
    return SSL_has_pending(session) != 0
  }
}
