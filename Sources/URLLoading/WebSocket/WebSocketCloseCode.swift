extension URLSessionWebSocketTask {
  /// Why a connection was closed: the codes of RFC 6455, section 7.4.1.
  @frozen public enum CloseCode: Int, Sendable {
    /// None: the connection is open, or was closed with a code that has no name here.
    case invalid = 0
    /// Its purpose is fulfilled.
    case normalClosure = 1000
    /// The server shuts down, or the user went elsewhere.
    case goingAway = 1001
    /// The peer broke the protocol.
    case protocolError = 1002
    /// A message had a type that cannot be accepted.
    case unsupportedData = 1003
    /// The close frame had no code. Never sent.
    case noStatusReceived = 1005
    /// The connection ended without a close frame. Never sent.
    case abnormalClosure = 1006
    /// A message's bytes did not fit its type, such as text that is not UTF-8.
    case invalidFramePayloadData = 1007
    /// A message broke a policy.
    case policyViolation = 1008
    /// A message was too long.
    case messageTooBig = 1009
    /// The server did not agree to an extension that the client needs.
    case mandatoryExtensionMissing = 1010
    /// The server met something unexpected.
    case internalServerError = 1011
    /// The TLS handshake failed. Never sent.
    case tlsHandshakeFailure = 1015
  }

  /// A message, either way.
  @frozen public enum Message: Sendable {
    /// Bytes.
    case data(Data)
    /// Text, which travels as UTF-8.
    case string(String)
  }
}
