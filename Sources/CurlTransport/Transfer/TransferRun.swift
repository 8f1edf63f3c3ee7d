internal import URLLoadingBase
internal import URLLoadingX509

/// All that belongs to the one transfer that an easy handle runs. The next transfer begins with a new one.
///
/// What calls somebody is an object, as the body is, and not a part of the value: while a part is changed, nobody may be called who could come
/// back to the handle.
// Not copied: the handle has the only one.
struct TransferRun: ~Copyable {
  // Whose it is. Without a transfer the handle is at rest, about to be, or drains what is left of a cancelled one.
  var transfer: Transfer?
  var handler: (any TransferHandler)?
  var startTime = 0.0
  var startInstant = MonotonicInstant.distantFuture
  var queueTime: Double?

  // What the request asks for.
  var kind = TransferRequest.Kind.http
  var isHeadRequest = false
  var typeOfService: UInt8?
  var hasAlternative = false
  var credentialsAnswer401 = false
  var credentialsAnswer407 = false
  var wantsMetrics = true
  /// See EasyHandle+FTP. Nil for other schemes.
  var ftp: FTPExchange?

  // The way to the server.
  /// Both ends of the connection that the request went to; of an FTP transfer's control connection, once it is ready.
  var ports: PortPair?
  /// The socket of the connection that it has opened, until a request is sent on that.
  var openedSocket: Int32?
  var triedAddresses = TriedAddresses()
  /// How many connections it had opened when its last request was sent; counted where connections take so many requests alone.
  var usedConnections = 0
  /// See EasyHandle+QUIC. Nil for TCP.
  @Boxed var quicWatch: QUICWatch?
  /// Why the transfer does not go on by QUIC.
  var quicFault: QUICFault?
  /// Why the system had no socket for the transfer; 0 where it had.
  var socketShortage: Int32 = 0
  /// See EasyHandle+Handshake. Nil until the handle opens a connection whose server it judges itself.
  var handshakes: Handshakes?
  /// FTP: the roots that the control connection was verified by.
  var roots: RootStore?
  /// How the server of the connection was verified.
  var verification: ConnectionVerification?
  var tlsVersion: UInt16?
  var tlsCipherSuite: UInt16?

  // The requests that were sent.
  var isRequestSent = false
  var sentRequests = 0
  /// The latest request got an answer that is more than informational.
  var isAnswered = false
  /// See EasyHandle+Refusal.
  var fate = StreamFate()
  /// The heads of requests, where they are recorded.
  var sentHeads: [UInt8] = []
  /// The request's body; nil where it has none.
  var body: OutgoingBody?
  /// See EasyHandle+InlineBody.
  var inlineBodyCount = InlineBodyCount()
  /// What libcurl has counted as uploaded for the request that is under way, and for those before it in the transfer.
  var latestUpload: Int64 = 0
  var earlierUploads: Int64 = 0
  var reportedSentBytes: Int64 = 0
  /// The body source has no bytes now.
  var isAwaitingBody = false
  /// The transfer's owner has paused sending.
  var isSendingPaused = false

  // The answer.
  var parser = ResponseHeadParser()
  var hasHead = false
  /// A challenge that libcurl may answer with credentials; then the handler does not get it.
  @Boxed var pendingHead: TransferHead?
  /// The answer of a proxy to CONNECT.
  @Boxed var proxyHead: TransferHead?
  /// Answers of 401 and 407 to requests that libcurl sends again by itself, with the same credentials.
  var refusals = 0
  var expectedLength: Int64?
  /// Bytes of the response's body that were taken, as they came.
  var receivedBytes: Int64 = 0
  /// Bytes that the handler has got of them, after decoding.
  var deliveredBytes: Int64 = 0
  var isReceivingPaused = false
  /// See EasyHandle+Coalescing. The most bytes that are coalesced; 0 for none.
  var coalescingLimit = 0
  var coalescedBody: EasyHandle.CoalescedBody?

  // The decoding of the response's body; see EasyHandle+Decoding.
  /// How the body is coded, if it is to be decoded.
  var contentEncoding: [String]?
  /// Made by the first bytes of the body: many a response that has a coding has no body.
  var decoder: BodyDecoder?
  var decodingTurn: UInt64 = 0
  var workBeforeTurn: UInt64 = 0
  /// Receiving is paused until the loop's next turn.
  var isYielding = false

  // A connection that is the transfer's alone; see EasyHandle+Switching and EasyHandle+Connection.
  /// A request to switch protocols: whether the answer was 101; nil while there is none.
  var hasSwitched: Bool?
  /// The transfer is over; the rest of its source is sent on the upgraded connection.
  var isFlushing = false
  var isClosedByPeer = false
  var switchedSocket: Int32?
  /// Nil until bytes were sent directly.
  var directSending: DirectSending?
  var directReceiving = DirectReceiving()
  /// Nil until the connection is established.
  var connection: RawConnection?

  // The end.
  /// How many bytes of a cancelled transfer may still come.
  var drainBudget = 0
  var failureReason: TransferFailure.Reason?
}
