internal import URLLoadingBase

/// The state of a connection that libcurl has handed over: the directions that are open, and the bytes in flight. No I/O.
// Loop thread only.
final class RawConnection {
  /// The socket, which is watched for what ``interest(pausesReading:)`` says.
  let descriptor: Int32
  let isSecure: Bool
  /// The peer has closed its direction: end of file was read.
  private(set) var isInputOver = false
  /// Output is closed, and the peer was told.
  private(set) var isOutputOver = false
  /// Bytes that libcurl has not taken yet.
  var outgoing: OutgoingBytes?
  /// The bytes of close_notify that are still to be sent, encrypted.
  var closing: [UInt8] = []
  /// The loop was asked to continue with this connection.
  var isContinuing = false
  /// The socket's send buffer is full.
  var isBlocked = false
  /// Bytes that were received and that the handler has refused.
  var incoming: [UInt8] = []
  /// Why output has failed. What the peer sent before is read, and then the transfer ends with this.
  @Boxed private(set) var outputFailure: TransferFailure?
  /// The peer's certificates. No data is sent or received until the owner has judged them.
  @Boxed var question: ShownPeer?
  /// Output is closed and input is discarded, since both were closed or the transfer was cancelled; the peer has not closed its direction.
  private(set) var isLingering = false
  /// A connected socket, for the next handle.
  private var adopted: Int32?

  init(descriptor: Int32, isSecure: Bool) {
    self.descriptor = descriptor
    self.isSecure = isSecure
  }

  /// The connection after an upgrade to TLS: the same socket under another descriptor.
  init(securing adopted: Int32) {
    descriptor = -1
    isSecure = true
    self.adopted = adopted
  }

  /// Both directions are closed.
  var isOver: Bool { isInputOver && isOutputOver }

  func takeAdopted() -> Int32? { adopted.take() }

  /// Output is closed, or about to be, and the peer's direction is not.
  var mayLinger: Bool {
    descriptor >= 0 && (isOutputOver || !closing.isEmpty) && !isInputOver && outputFailure == nil && question == nil
  }

  func inputEnds() { isInputOver = true }
  func outputEnds() { isOutputOver = true }

  func outputBreaks(_ failure: TransferFailure) {
    outputFailure = failure
    isOutputOver = true
    outgoing = nil
    closing = []
  }

  func lingers() {
    isLingering = true
    incoming = []
  }

  func interest(pausesReading: Bool) -> SocketInterest {
    var interest: SocketInterest = []
    if !isInputOver, !pausesReading, incoming.isEmpty { interest.insert(.readable) }
    if isBlocked { interest.insert(.writable) }
    return interest
  }
}
