internal import URLLoadingBase

/// What is known of a connection that libcurl has handed over: which directions are open, and what is on its way. No I/O.
struct RawConnection {
  /// The socket, which is watched for what ``interest(pausesReading:)`` says.
  let descriptor: Int32
  let isSecure: Bool
  /// The peer has closed its direction.
  private(set) var isInputOver = false
  /// Ours is closed, and the peer knows.
  private(set) var isOutputOver = false
  /// Bytes that libcurl has not taken yet.
  var outgoing: OutgoingBytes?
  /// What tells the peer that nothing more comes, as it goes to the network.
  var closing: [UInt8] = []
  /// A command is on its way to go on with this connection.
  var isContinuing = false
  /// The socket takes no more for now.
  var isBlocked = false
  /// Bytes that came and were not taken.
  var incoming: [UInt8] = []
  /// Why nothing more can be sent. What the peer sent before is read, and then the transfer ends with this.
  @Rare private(set) var outputFailure: TransferFailure?
  /// What the peer has shown in its handshake, which the owner has to judge before a byte goes either way.
  @Rare var question: ShownPeer?
  /// Ours is closed and nobody reads, because both were closed or the transfer was cancelled; the peer has not closed its direction.
  private(set) var isLingering = false
  /// A socket with a connection, for the next handle.
  private var adopted: Int32?

  init(descriptor: Int32, isSecure: Bool) {
    self.descriptor = descriptor
    self.isSecure = isSecure
  }

  /// What is used in place of this where TLS begins: the same connection under another number.
  init(securing adopted: Int32) {
    descriptor = -1
    isSecure = true
    self.adopted = adopted
  }

  /// Both directions are closed: nothing is left to be waited for.
  var isOver: Bool { isInputOver && isOutputOver }

  mutating func takeAdopted() -> Int32? { adopted.take() }

  /// Ours is closed, or about to be, and the peer's is not.
  var mayLinger: Bool {
    descriptor >= 0 && (isOutputOver || !closing.isEmpty) && !isInputOver && outputFailure == nil && question == nil
  }

  mutating func inputEnds() { isInputOver = true }
  mutating func outputEnds() { isOutputOver = true }

  mutating func outputBreaks(_ failure: TransferFailure) {
    outputFailure = failure
    isOutputOver = true
    outgoing = nil
    closing = []
  }

  mutating func lingers() {
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
