/// Versions of TLS and DTLS; raw values are those on the wire (RFC 8446 4.2.1, RFC 6347 4.1).
@frozen public enum tls_protocol_version_t: UInt16, Sendable {
  case TLSv10 = 0x0301
  case TLSv11 = 0x0302
  case TLSv12 = 0x0303
  case TLSv13 = 0x0304
  case DTLSv10 = 0xFEFF
  case DTLSv12 = 0xFEFD
}
