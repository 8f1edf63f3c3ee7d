import Foundation

/// What happens in one transfer.
///
/// All methods are called on the loop's thread and in order. Nothing is called after the completion, nor after
/// `Transfer.cancel` has taken effect. None may block.
package protocol TransferHandler: AnyObject, Sendable {
  /// A connection is being opened or reused: the transfer no longer waits for the limit of connections to a host.
  /// Called once, before anything else but a failure.
  func transferDidLeaveQueue(_ transfer: Transfer)

  /// The request goes out once more, since the connection has ended before there was an answer; libcurl does that by itself.
  func transferSendsAgain(_ transfer: Transfer)

  /// An informational response, with a status from 100 to 199 (RFC 9110 section 15.2).
  func transfer(_ transfer: Transfer, didReceiveInformational head: TransferHead)

  /// The head of the response. For FTP it is made of the server's replies before the first byte.
  func transfer(_ transfer: Transfer, didReceive head: consuming TransferHead)

  /// Some bytes of the body, valid during the call.
  ///
  /// - Returns: `.pause` to refuse the bytes: they are repeated after `Transfer.resume()`, perhaps divided differently.
  func transfer(_ transfer: Transfer, didReceive bytes: UnsafeRawBufferPointer) -> TransferFlow

  /// Whether the handler would take bytes of the body now. Asked before pieces are coalesced for
  /// ``transfer(_:didCoalesce:)``, which cannot refuse them.
  func transferTakesBody(_ transfer: Transfer) -> Bool

  /// Bytes of the body that the handler may keep without a copy, for a request with
  /// ``TransferRequest/coalescingLimit``.
  func transfer(_ transfer: Transfer, didCoalesce bytes: Data)

  /// The peer of a connection has closed its direction (``TransferRequest/connectsOnly``); the other stays open.
  func transferInputDidEnd(_ transfer: Transfer)

  /// The output of a connection (``TransferRequest/connectsOnly``) has failed. What the peer sent before is still delivered, and then the
  /// transfer completes with the same failure.
  func transfer(_ transfer: Transfer, sendingDidFailWith failure: TransferFailure)

  /// TLS was started on an established connection, and the owner has to evaluate the peer (``TransferRequest/laterSecurity``) by
  /// ``Transfer/resolveTrust(accepts:)``. No data is sent or received before.
  func transfer(_ transfer: Transfer, asksToTrust peer: ShownPeer)

  /// Fields after the body (RFC 9110 section 6.5). Called at most once, before the completion.
  func transfer(_ transfer: Transfer, didReceiveTrailers fields: [(name: String, value: String)])

  /// Bytes of the request's body that were sent so far. Starts again when the body is sent again.
  func transfer(_ transfer: Transfer, didSendBodyBytes total: Int64)

  /// The end.
  func transfer(_ transfer: Transfer, didCompleteWith result: Result<TransferMetrics, TransferFailure>)
}

/// Whether a handler took the bytes.
package enum TransferFlow: Sendable {
  /// The bytes were taken.
  case accepted
  /// Nothing was taken; deliver the bytes again after `Transfer.resume()`.
  case pause
}

extension TransferHandler {
  package func transferSendsAgain(_ transfer: Transfer) {}
  package func transferInputDidEnd(_ transfer: Transfer) {}
  package func transfer(_ transfer: Transfer, sendingDidFailWith failure: TransferFailure) {}
  package func transfer(_ transfer: Transfer, asksToTrust peer: ShownPeer) { transfer.resolveTrust(accepts: false) }
}
