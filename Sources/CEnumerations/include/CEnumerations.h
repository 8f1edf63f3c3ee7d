#ifndef URL_LOADING_ENUMERATIONS_H
#define URL_LOADING_ENUMERATIONS_H

// Enumerations whose values a peer sends. They are C's because Swift has none of its own that take any raw value, as Apple's do: such a
// switch needs `@unknown default`, and `init(rawValue:)` never fails.

#define URL_LOADING_OPEN __attribute__((enum_extensibility(open)))
#define URL_LOADING_NAME(name) __attribute__((swift_name(#name)))

/// Why a WebSocket was closed (RFC 6455, section 7.4).
typedef enum URL_LOADING_OPEN NSURLSessionWebSocketCloseCode : long {
  /// None: the connection is open.
  NSURLSessionWebSocketCloseCodeInvalid URL_LOADING_NAME(invalid) = 0,
  /// Its purpose is fulfilled.
  NSURLSessionWebSocketCloseCodeNormalClosure URL_LOADING_NAME(normalClosure) = 1000,
  /// The server shuts down, or the user went elsewhere.
  NSURLSessionWebSocketCloseCodeGoingAway URL_LOADING_NAME(goingAway) = 1001,
  /// The peer broke the protocol.
  NSURLSessionWebSocketCloseCodeProtocolError URL_LOADING_NAME(protocolError) = 1002,
  /// A message had a type that cannot be accepted.
  NSURLSessionWebSocketCloseCodeUnsupportedData URL_LOADING_NAME(unsupportedData) = 1003,
  /// The close frame had no code. Never sent.
  NSURLSessionWebSocketCloseCodeNoStatusReceived URL_LOADING_NAME(noStatusReceived) = 1005,
  /// The connection ended without a close frame. Never sent.
  NSURLSessionWebSocketCloseCodeAbnormalClosure URL_LOADING_NAME(abnormalClosure) = 1006,
  /// A message's bytes did not fit its type, such as text that is not UTF-8.
  NSURLSessionWebSocketCloseCodeInvalidFramePayloadData URL_LOADING_NAME(invalidFramePayloadData) = 1007,
  /// A message broke a policy.
  NSURLSessionWebSocketCloseCodePolicyViolation URL_LOADING_NAME(policyViolation) = 1008,
  /// A message was too long.
  NSURLSessionWebSocketCloseCodeMessageTooBig URL_LOADING_NAME(messageTooBig) = 1009,
  /// The server did not agree to an extension that the client needs.
  NSURLSessionWebSocketCloseCodeMandatoryExtensionMissing URL_LOADING_NAME(mandatoryExtensionMissing) = 1010,
  /// The server met something unexpected.
  NSURLSessionWebSocketCloseCodeInternalServerError URL_LOADING_NAME(internalServerError) = 1011,
  /// The TLS handshake failed. Never sent.
  NSURLSessionWebSocketCloseCodeTlsHandshakeFailure URL_LOADING_NAME(tlsHandshakeFailure) = 1015,
} NSURLSessionWebSocketCloseCode;

/// Cipher suites of TLS: the values of the IANA registry, named by it without `TLS_` in front for those that Apple names.
typedef enum URL_LOADING_OPEN tls_ciphersuite_t : unsigned short {
  tls_ciphersuite_RSA_WITH_3DES_EDE_CBC_SHA URL_LOADING_NAME(RSA_WITH_3DES_EDE_CBC_SHA) = 0x000A,
  tls_ciphersuite_RSA_WITH_AES_128_CBC_SHA URL_LOADING_NAME(RSA_WITH_AES_128_CBC_SHA) = 0x002F,
  tls_ciphersuite_RSA_WITH_AES_256_CBC_SHA URL_LOADING_NAME(RSA_WITH_AES_256_CBC_SHA) = 0x0035,
  tls_ciphersuite_RSA_WITH_AES_128_GCM_SHA256 URL_LOADING_NAME(RSA_WITH_AES_128_GCM_SHA256) = 0x009C,
  tls_ciphersuite_RSA_WITH_AES_256_GCM_SHA384 URL_LOADING_NAME(RSA_WITH_AES_256_GCM_SHA384) = 0x009D,
  tls_ciphersuite_RSA_WITH_AES_128_CBC_SHA256 URL_LOADING_NAME(RSA_WITH_AES_128_CBC_SHA256) = 0x003C,
  tls_ciphersuite_RSA_WITH_AES_256_CBC_SHA256 URL_LOADING_NAME(RSA_WITH_AES_256_CBC_SHA256) = 0x003D,
  tls_ciphersuite_ECDHE_ECDSA_WITH_3DES_EDE_CBC_SHA URL_LOADING_NAME(ECDHE_ECDSA_WITH_3DES_EDE_CBC_SHA) = 0xC008,
  tls_ciphersuite_ECDHE_ECDSA_WITH_AES_128_CBC_SHA URL_LOADING_NAME(ECDHE_ECDSA_WITH_AES_128_CBC_SHA) = 0xC009,
  tls_ciphersuite_ECDHE_ECDSA_WITH_AES_256_CBC_SHA URL_LOADING_NAME(ECDHE_ECDSA_WITH_AES_256_CBC_SHA) = 0xC00A,
  tls_ciphersuite_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA URL_LOADING_NAME(ECDHE_RSA_WITH_3DES_EDE_CBC_SHA) = 0xC012,
  tls_ciphersuite_ECDHE_RSA_WITH_AES_128_CBC_SHA URL_LOADING_NAME(ECDHE_RSA_WITH_AES_128_CBC_SHA) = 0xC013,
  tls_ciphersuite_ECDHE_RSA_WITH_AES_256_CBC_SHA URL_LOADING_NAME(ECDHE_RSA_WITH_AES_256_CBC_SHA) = 0xC014,
  tls_ciphersuite_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256 URL_LOADING_NAME(ECDHE_ECDSA_WITH_AES_128_CBC_SHA256) = 0xC023,
  tls_ciphersuite_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384 URL_LOADING_NAME(ECDHE_ECDSA_WITH_AES_256_CBC_SHA384) = 0xC024,
  tls_ciphersuite_ECDHE_RSA_WITH_AES_128_CBC_SHA256 URL_LOADING_NAME(ECDHE_RSA_WITH_AES_128_CBC_SHA256) = 0xC027,
  tls_ciphersuite_ECDHE_RSA_WITH_AES_256_CBC_SHA384 URL_LOADING_NAME(ECDHE_RSA_WITH_AES_256_CBC_SHA384) = 0xC028,
  tls_ciphersuite_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 URL_LOADING_NAME(ECDHE_ECDSA_WITH_AES_128_GCM_SHA256) = 0xC02B,
  tls_ciphersuite_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384 URL_LOADING_NAME(ECDHE_ECDSA_WITH_AES_256_GCM_SHA384) = 0xC02C,
  tls_ciphersuite_ECDHE_RSA_WITH_AES_128_GCM_SHA256 URL_LOADING_NAME(ECDHE_RSA_WITH_AES_128_GCM_SHA256) = 0xC02F,
  tls_ciphersuite_ECDHE_RSA_WITH_AES_256_GCM_SHA384 URL_LOADING_NAME(ECDHE_RSA_WITH_AES_256_GCM_SHA384) = 0xC030,
  tls_ciphersuite_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256 URL_LOADING_NAME(ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256) = 0xCCA8,
  tls_ciphersuite_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256 URL_LOADING_NAME(ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256) = 0xCCA9,
  tls_ciphersuite_AES_128_GCM_SHA256 URL_LOADING_NAME(AES_128_GCM_SHA256) = 0x1301,
  tls_ciphersuite_AES_256_GCM_SHA384 URL_LOADING_NAME(AES_256_GCM_SHA384) = 0x1302,
  tls_ciphersuite_CHACHA20_POLY1305_SHA256 URL_LOADING_NAME(CHACHA20_POLY1305_SHA256) = 0x1303,
} tls_ciphersuite_t;

#undef URL_LOADING_OPEN
#undef URL_LOADING_NAME

#endif
