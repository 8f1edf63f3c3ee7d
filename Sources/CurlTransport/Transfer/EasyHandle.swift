import Foundation
internal import URLLoadingBase
internal import URLLoadingCCurl
internal import URLLoadingCLinux

/// An easy handle of libcurl and the one transfer that it runs at a time. It is used again and again.
// Loop thread only. While it is in a multi handle libcurl's callbacks point to it, and the multi handle keeps it.
final class EasyHandle {
  let curl: UnsafeMutableRawPointer
  let reactor: Reactor
  /// The multi handle that it is in, and its places there.
  var multi: MultiHandle?
  var place: AdmissionQueue<Transfer>.Place?
  var runningIndex = 0
  /// When a cancelled transfer that is drained is given up, or the reply to SIZE or MDTM is overdue.
  var deadline = MonotonicInstant.distantFuture
  /// The loop's turn in which the deadline of the reply was first past.
  var overdueTurn: UInt64?

  // How the handle is set up; see EasyHandle+Options.
  var shape: EasyHandleShape?
  var headerList: UnsafeMutablePointer<curl_slist>?
  var headers: [(name: String, value: String)] = []
  var proxyHeaderList: UnsafeMutablePointer<curl_slist>?
  let errorBuffer: UnsafeMutablePointer<CChar>

  // The running transfer.
  var transfer: Transfer?
  var handler: (any TransferHandler)?
  var kind = TransferRequest.Kind.http
  var isHeadRequest = false
  var typeOfService: UInt8?
  var hasAlternative = false
  var body = OutgoingBody()
  /// See EasyHandle+InlineBody.
  var inlineBodyCount = InlineBodyCount()
  /// What libcurl has counted as uploaded for the request that is under way, and for those before it in the transfer.
  var latestUpload: Int64 = 0
  private(set) var earlierUploads: Int64 = 0
  var credentialsAnswer401 = false
  var credentialsAnswer407 = false
  var wantsMetrics = true
  var parser = ResponseHeadParser()
  var ftp = FTPReplies()
  /// Both ends of the connection that the request went to; of an FTP transfer's control connection, once it is ready.
  private(set) var ports: PortPair?
  /// See EasyHandle+FTP.
  var ftpRange: FTPRange?
  var ftpRangeReachesEnd = false
  var ftpDeadline = MonotonicInstant.distantFuture
  var questionList: UnsafeMutablePointer<curl_slist>?
  /// The addresses of hosts that are not looked up, for as long as the handle lives.
  var addressList: UnsafeMutablePointer<curl_slist>?
  /// The cache of names and TLS sessions that the handle has of the loop's.
  var share: UnsafeMutableRawPointer?
  /// The TLS sessions of a transfer that shares them with no other.
  var sessionShare: UnsafeMutableRawPointer?
  private(set) var startTime = 0.0
  private(set) var startInstant = MonotonicInstant.distantFuture
  private(set) var queueTime: Double?
  private(set) var isRequestSent = false
  private(set) var sentRequests = 0
  /// The latest request got an answer that is more than informational.
  var isAnswered = false {
    didSet { if isAnswered { leaveStream() } }
  }
  /// The socket of the connection that it has opened, until a request is sent on that.
  var openedSocket: Int32?
  var triedAddresses = TriedAddresses()
  /// Why the system had no socket for the transfer; 0 where it had.
  var socketShortage: Int32 = 0
  /// The heads of requests, where they are recorded.
  var sentHeads: [UInt8] = []
  var recordsRequestHeads = false
  /// See EasyHandle+FirstField.
  var firstField = FirstField()
  var hasHead = false
  /// A request to switch protocols: whether the answer was 101; nil while there is none.
  var hasSwitched: Bool?
  /// The transfer is over; the rest of its source is sent on the upgraded connection.
  var isFlushing = false
  /// See EasyHandle+Switching.
  var isClosedByPeer = false
  var switchedSocket: Int32?
  var directSending = DirectSending()
  var directReceiving = DirectReceiving()
  /// See EasyHandle+Connection. Nil until the connection is established.
  var connection: RawConnection?
  /// Names that were set for one transfer, and TLS sessions, outlast `curl_easy_reset`, as it documents; so does, undocumented, that a
  /// stream was refused, which libcurl then says of the next one that fails. No other transfer gets the handle.
  var isOfOneTransfer = false
  /// A challenge that libcurl may answer with credentials; then the handler does not get it.
  var pendingHead: TransferHead?
  /// Answers of 401 and 407 to requests that libcurl sends again by itself, with the same credentials.
  var refusals = 0
  /// The answer of a proxy to CONNECT.
  var proxyHead: TransferHead?
  var expectedLength: Int64?
  /// Bytes of the response's body that were taken, as they came.
  var receivedBytes: Int64 = 0
  /// Bytes that the handler has got of them, after decoding.
  var deliveredBytes: Int64 = 0
  /// See EasyHandle+Coalescing. The most bytes that are coalesced; 0 for none.
  var coalescingLimit = 0
  var coalescedBody: CoalescedBody?
  var reportedSentBytes: Int64 = 0
  var isReceivingPaused = false
  /// The body source has no bytes now.
  var isAwaitingBody = false
  /// The transfer's owner has paused sending.
  var isSendingPaused = false
  var drainBudget = 0
  var failureReason: TransferFailure.Reason?
  /// See EasyHandle+Refusal.
  var fate = StreamFate()
  /// See EasyHandle+Handshake.
  var handshakes = Handshakes()
  /// How the server of the connection was verified.
  var verification: ConnectionVerification?
  var tlsVersion: UInt16?
  var tlsCipherSuite: UInt16?

  // The decoding of the response's body; see EasyHandle+Decoding.
  /// How the body is coded, if it is to be decoded.
  var contentEncoding: [String]?
  /// Made by the first bytes of the body: many a response that has a coding has no body.
  var decoder: BodyDecoder?
  /// Kept for other transfers.
  var decodingBuffer: UnsafeMutableRawBufferPointer?
  var decodingTurn: UInt64 = 0
  var workBeforeTurn: UInt64 = 0
  /// Receiving is paused until the loop's next turn.
  var isYielding = false

  init?(reactor: Reactor) {
    guard let curl = curl_easy_init() else { return nil }
    self.curl = curl
    self.reactor = reactor
    errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    curl_easy_cleanup(curl)
    curl_share_cleanup(sessionShare)
    curl_slist_free_all(headerList)
    curl_slist_free_all(proxyHeaderList)
    curl_slist_free_all(questionList)
    curl_slist_free_all(addressList)
    errorBuffer.deallocate()
    dropCoalescedBody()
    decodingBuffer?.deallocate()
  }

  // MARK: Begin and end

  /// Connects the handle with the transfer that it is configured for.
  func attach(_ transfer: Transfer, _ work: borrowing Transfer.Work) {
    self.transfer = transfer
    handler = work.handler
    startTime = transfer.startTime
    startInstant = transfer.startInstant
    isReceivingPaused = work.isPaused
    isSendingPaused = work.isPaused
    fate.isRepetition = transfer.request.isRepetition
    transfer.attach(self)
    errorBuffer.pointee = 0
  }

  /// Resets the handle, so that it keeps no state of the transfer.
  func detach() {
    transfer?.attach(nil)
    transfer = nil
    handler = nil
    removeInlineBody()
    body = OutgoingBody()
    parser.reset()
    if !sentHeads.isEmpty { sentHeads = [] }
    ftp = FTPReplies()
    ports = nil
    queueTime = nil
    isRequestSent = false
    latestUpload = 0
    earlierUploads = 0
    openedSocket = nil
    triedAddresses.forget()
    socketShortage = 0
    // libcurl counts what it tries again for as long as the handle lives, and gives up after five; a reset forgets that.
    if sentRequests > 1 { shape = nil }
    sentRequests = 0
    isAnswered = false
    hear(false)
    fate = StreamFate()
    hasHead = false
    hasSwitched = nil
    isFlushing = false
    isClosedByPeer = false
    switchedSocket = nil
    directSending = DirectSending()
    directReceiving = DirectReceiving()
    if shape?.isIsolated == true {
      handshakes = Handshakes()
      verification = nil
    }
    if let adopted = connection?.takeAdopted() { close(adopted) }
    // Its options are not a request's.
    if connection != nil { shape = nil }
    connection = nil
    pendingHead = nil
    refusals = 0
    proxyHead = nil
    expectedLength = nil
    receivedBytes = 0
    deliveredBytes = 0
    coalescingLimit = 0
    dropCoalescedBody()
    contentEncoding = nil
    decoder = nil
    decodingTurn = 0
    workBeforeTurn = 0
    isYielding = false
    reportedSentBytes = 0
    isReceivingPaused = false
    isAwaitingBody = false
    isSendingPaused = false
    drainBudget = 0
    failureReason = nil
    tlsVersion = nil
    tlsCipherSuite = nil
  }

  // MARK: Events

  func leaveQueue() {
    guard queueTime == nil, let transfer else { return }
    queueTime = startInstant.seconds(to: .now)
    if kind == .ftp { waitAnew() }
    handler?.transferDidLeaveQueue(transfer)
  }

  /// A connection is opened, perhaps for a request that libcurl sends again by itself: the proxy that it is through speaks first, once more.
  func connectionOpens() {
    guard kind == .http, shape?.proxy != nil, isRequestSent || proxyHead != nil else { return }
    isRequestSent = false
    proxyHead = nil
    pendingHead = nil
    parser.expectHead()
  }

  /// The connection is ready, and a request is about to be sent: the first, one with credentials, or the same again.
  /// - Returns: whether it is to be sent.
  func requestBegins(on ports: PortPair) -> Bool {
    guard !refusesRepetition(), isVerified(on: ports), !isClosed(on: ports) else { return false }
    self.ports = ports
    leaveQueue()
    recordMultiplexing(on: ports)
    multi?.requestBegins()
    if sentRequests > 0, !isAnswered { isOfOneTransfer = true }
    followStream(on: ports)
    if CurlLibrary.shared.losesEarlyAnswers, kind == .http, body.isPresent {
      // Once it has an answer's length, libcurl before 8.1 reads no more, and would not see that the server lets go of the stream.
      set(CURLOPT_IGNORE_CONTENT_LENGTH, multi?.isMultiplexed(ports) == true ? 1 : 0)
    }
    isRequestSent = true
    sentRequests += 1
    earlierUploads += latestUpload
    latestUpload = 0
    isAnswered = false
    hasSwitched = nil
    pendingHead = nil
    parser.expectHead()
    recordInlineBody()
    return true
  }

  /// Whether the connection's server was verified by the transfer's rules, by this transfer or an earlier one.
  private func isVerified(on ports: PortPair) -> Bool {
    guard let shape, shape.isIsolated, shape.usesTLS else { return true }
    if let new = handshakes.verification { multi?.recordVerification(new, of: ports) }
    handshakes.end()
    verification = multi?.verification(of: ports)
    if let verification {
      // It may have been accepted before the host was known to ask for more.
      failureReason = transfer?.request.security?.refusal(of: verification.verdict)
    } else {
      failureReason = .unverifiedConnection
    }
    return failureReason == nil
  }

  /// Whether the request was about to be the next one of a connection of HTTP/1.1 whose other end has closed it. Then it goes to another
  /// one: whoever sends it there leaves to chance whether a body can be sent again, and whether the request was carried out. Any other
  /// request is sent again by libcurl.
  private func isClosed(on ports: PortPair) -> Bool {
    guard CurlLibrary.shared.reusesClosedConnections, kind == .http, sentRequests == 0, openedSocket == nil,
      let shape, body.isPresent || !Repetition.isIdempotent(shape.method), multi?.isMultiplexed(ports) != true
    else { return false }
    // POLLRDHUP, which Swift's Glibc lacks, has the same value.
    let events = Int16(truncatingIfNeeded: EPOLLRDHUP.rawValue)
    var descriptor = pollfd(fd: ccurl_get_active_socket(curl), events: events, revents: 0)
    guard descriptor.fd >= 0, poll(&descriptor, 1, 0) > 0 else { return false }
    failureReason = .closedBefore
    return true
  }

  /// Begins more transfers when the connection takes many at once.
  private func recordMultiplexing(on ports: PortPair) {
    guard shape?.isHTTPS == true, let multi, let place else { return }
    let socket = openedSocket.take()
    guard socket != nil || !multi.isMultiplexing(at: place) || !multi.isMultiplexed(ports) else { return }
    // With another TLS library the protocol is unknown: then libcurl queues the requests that find no connection.
    guard TLSInspector.protocolName(of: curl) ?? "h2" == "h2" else { return }
    multi.multiplexes(at: place)
    multi.multiplexes(on: ports, openedAs: socket, TLSInspector.session(of: curl))
  }
}
