/// What kept a request from going by HTTP/3, where another way may do.
package enum QUICFault: Equatable, Sendable {
  /// The endpoint is not found, refuses datagrams, or its handshake led to no HTTP/3.
  case refused
  /// There was no connection when the head start was over.
  /// - Parameter isSilent: whether no datagram had come back.
  case headStartOver(isSilent: Bool)
  /// Nothing comes any more on an established connection, or it has ended without an answer.
  case pathLost
  /// Another request has found one of these, and nothing of this one was sent.
  case abandoned
}
