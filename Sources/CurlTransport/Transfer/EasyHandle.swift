import Foundation
internal import URLLoadingCCurl

/// An easy handle of libcurl and the one transfer that it runs at a time. It is used again and again.
// Loop thread only. While it is in a multi handle libcurl's callbacks point to it, and the multi handle keeps it.
final class EasyHandle {
  let curl: UnsafeMutableRawPointer
  let reactor: Reactor
  /// The multi handle that it is in, and its places there.
  var multi: MultiHandle?
  var place: AdmissionQueue<Transfer>.Place?
  var runningIndex = 0
  /// When a transfer that nobody listens to is given up.
  var drainDeadline = UInt64.max

  // How the handle is set up; see EasyHandle+Options.
  var shape: EasyHandleShape?
  var headerList: UnsafeMutablePointer<curl_slist>?
  var headers: [(name: String, value: String)] = []
  let errorBuffer: UnsafeMutablePointer<CChar>

  // The running transfer. What is not checked at run time for accesses that overlap is used by one callback at a time.
  private(set) var transfer: Transfer?
  private(set) var handler: (any TransferHandler)?
  var kind = TransferRequest.Kind.http
  var isHeadRequest = false
  var typeOfService: UInt8?
  var body = OutgoingBody()
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
  var questionList: UnsafeMutablePointer<curl_slist>?
  /// Until when the reply to a question is waited for, and the loop's turn in which that was over first.
  var replyDeadline = UInt64.max
  var overdueTurn: UInt64?
  private(set) var startTime = 0.0
  private(set) var startInstant: UInt64 = 0
  private(set) var queueTime: Double?
  private(set) var isRequestSent = false
  private(set) var sentRequests = 0
  /// The latest request got an answer that is more than informational.
  private(set) var isAnswered = false
  /// The socket of the connection that it has opened, until a request is sent on that.
  var openedSocket: Int32?
  private(set) var hasHead = false
  /// A head that libcurl may answer with credentials, and then it is not for the handler.
  private(set) var heldHead: TransferHead?
  /// The answer of a proxy to CONNECT.
  private(set) var proxyHead: TransferHead?
  private(set) var expectedLength: Int64?
  /// Bytes of the response's body that were taken, as they came.
  var receivedBytes: Int64 = 0
  /// Bytes that the handler has got of them, after decoding.
  var deliveredBytes: Int64 = 0
  /// See EasyHandle+Gathering. Bytes that are put together at most; 0 for none.
  var gatheringCount = 0
  var gatheredBody: GatheredBody?
  private(set) var reportedSentBytes: Int64 = 0
  var isReceivingPaused = false
  /// The body source has nothing now.
  private var isSendingPaused = false
  /// The transfer's owner wants nothing sent now.
  private var isSendingHeld = false
  private var drainBudget = 0
  var failureReason: TransferFailure.Reason?
  /// See EasyHandle+End. Nil where the end of the response's body is told in other ways.
  var endWatch: EndWatch?
  /// The loop's turn in which bytes of the request's body were last handed to libcurl.
  private(set) var sendingTurn: UInt64 = 0
  private(set) var tlsVersion: UInt16?
  private(set) var tlsCipherSuite: UInt16?

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
    curl_slist_free_all(headerList)
    curl_slist_free_all(questionList)
    errorBuffer.deallocate()
    dropGatheredBody()
    decodingBuffer?.deallocate()
  }

  // MARK: Begin and end

  /// Connects the handle with the transfer that it is configured for.
  func attach(_ transfer: Transfer, _ work: borrowing Transfer.Work) {
    self.transfer = transfer
    handler = work.handler
    startTime = transfer.startTime
    startInstant = transfer.startInstant
    isReceivingPaused = work.held.isReceivingPaused
    isSendingHeld = work.held.isSendingHeld
    transfer.attach(self)
    errorBuffer.pointee = 0
  }

  /// Forgets the transfer, so that nothing of it is kept and the next one starts afresh.
  func detach() {
    transfer?.attach(nil)
    transfer = nil
    handler = nil
    body = OutgoingBody()
    parser.reset()
    ftp = FTPReplies()
    ports = nil
    queueTime = nil
    isRequestSent = false
    openedSocket = nil
    // libcurl counts what it tries again for as long as the handle lives, and gives up after five; a reset forgets that.
    if sentRequests > 1 { shape = nil }
    sentRequests = 0
    isAnswered = false
    stopWatchingEnd()
    hasHead = false
    // Few have these, and to give up none is dear: it goes through the runtime's description of the type.
    if heldHead != nil { heldHead = nil }
    if proxyHead != nil { proxyHead = nil }
    expectedLength = nil
    receivedBytes = 0
    deliveredBytes = 0
    gatheringCount = 0
    dropGatheredBody()
    contentEncoding = nil
    decoder = nil
    decodingTurn = 0
    workBeforeTurn = 0
    isYielding = false
    reportedSentBytes = 0
    isReceivingPaused = false
    isSendingPaused = false
    isSendingHeld = false
    drainBudget = 0
    failureReason = nil
    tlsVersion = nil
    tlsCipherSuite = nil
  }

  // MARK: Commands

  /// From within a callback: no more bodies are taken. libcurl is told by the next one.
  func refuseBody() {
    isReceivingPaused = true
  }

  /// From within a callback: the handler hears nothing more.
  func silence() {
    handler = nil
  }

  func pauseReceiving() {
    isReceivingPaused = true
    applyPause()
  }

  func resumeReceiving() {
    guard isReceivingPaused else { return }
    isReceivingPaused = false
    applyPause()
  }

  func pause() {
    isReceivingPaused = true
    isSendingHeld = true
    applyPause()
  }

  func resume() {
    guard isReceivingPaused || isSendingHeld else { return }
    isReceivingPaused = false
    isSendingHeld = false
    applyPause()
  }

  func resumeSending() {
    guard isSendingPaused else { return }
    isSendingPaused = false
    applyPause()
  }

  private var pauseMask: Int32 {
    var mask: Int32 = 0
    if isReceivingPaused { mask |= CURLPAUSE_RECV }
    if isSendingPaused || isSendingHeld { mask |= CURLPAUSE_SEND }
    return mask
  }

  /// Has libcurl open the FTP data connection that the server told it of. When the reply is read in the same call in which
  /// libcurl asked for it, 7.88 neither goes on nor waits for anything. A change of what is paused wakes it.
  func openDataConnection() {
    curl_easy_pause(curl, pauseMask ^ CURLPAUSE_RECV)
    applyPause()
  }

  func applyPause() {
    // What libcurl had kept back is delivered from within this call.
    let code = curl_easy_pause(curl, pauseMask)
    deliverGatheredBody()
    // Without a connection there is nothing to pause yet; the callbacks look at the flags when there is.
    guard code != CURLE_OK, code != CURLE_BAD_FUNCTION_ARGUMENT else { return }
    multi?.finish(self, code)
  }

  func cancel(discardingUpTo count: Int) {
    guard let multi else { return }
    let left = expectedLength.map { $0 - receivedBytes }
    let isLast = hasHead && body.isComplete && kind == .http
    guard count > 0, isLast, left.map({ $0 <= Int64(count) }) ?? true else {
      multi.release(self)
      return
    }
    transfer?.attach(nil)
    transfer = nil
    handler = nil
    drainBudget = count
    multi.drain(self, until: Reactor.now() + 1_000_000_000)
    // Nothing is left to be sent, but libcurl takes a transfer that may not send for one that is not done.
    resume()
    continueDecoding()
  }

  // MARK: Events

  func leaveQueue() {
    guard queueTime == nil, let transfer else { return }
    queueTime = Double(Reactor.now() &- startInstant) * 1e-9
    handler?.transferDidLeaveQueue(transfer)
  }

  /// The connection is ready, and a request is about to be sent: the first, one with credentials, or the same again.
  /// - Returns: whether it is to be sent.
  func requestBegins(on ports: PortPair) -> Bool {
    guard !refusesRepetition() else { return false }
    self.ports = ports
    leaveQueue()
    noteMultiplexing(on: ports)
    multi?.requestBegins(on: ports)
    isRequestSent = true
    sentRequests += 1
    isAnswered = false
    if heldHead != nil { heldHead = nil }
    parser.expectHead()
    return true
  }

  /// Has more transfers begin when the connection takes many at once.
  private func noteMultiplexing(on ports: PortPair) {
    guard shape?.isHTTPS == true, let multi, let place else { return }
    let socket = openedSocket.take()
    guard socket != nil || !multi.isMultiplexing(at: place) || !multi.isMultiplexed(ports) else { return }
    // Another library for TLS does not tell: then libcurl has to hold back what finds no connection.
    guard TLSInspector.shared.protocolName(of: curl) ?? "h2" == "h2" else { return }
    multi.multiplexes(at: place)
    multi.multiplexes(on: ports, openedAs: socket, TLSInspector.shared.session(of: curl))
  }

  /// A line of a response's head or trailers. Returns how much of it was taken: less than all ends the transfer.
  func receiveHeader(_ line: UnsafeRawBufferPointer) -> Int {
    guard transfer != nil else { return line.count }
    if kind == .ftp {
      return receiveReply(line)
    }
    switch parser.take(line) {
    case .none: break
    case .failure(let reason):
      failureReason = reason
      return 0
    case .head(let head): receive(head)
    }
    return line.count
  }

  private func receive(_ head: consuming TransferHead) {
    guard let transfer, let handler else { return }
    guard isRequestSent else {
      proxyHead = head
      parser.expectHead()
      return
    }
    if (100..<200).contains(head.statusCode), head.statusCode != 101 {
      handler.transfer(transfer, didReceiveInformational: head)
      return
    }
    isAnswered = true
    if tlsVersion == nil { (tlsVersion, tlsCipherSuite) = TLSInspector.shared.parameters(of: curl) }
    let isChallenge =
      (head.statusCode == 401 && credentialsAnswer401) || (head.statusCode == 407 && credentialsAnswer407)
    guard !isChallenge else {
      heldHead = head
      return
    }
    guard !hasHead else { return }
    accept(head)
    handler.transfer(transfer, didReceive: consume head)
  }

  private func deliverPendingHead() {
    guard let transfer, let head = takePendingHead() else { return }
    handler?.transfer(transfer, didReceive: head)
  }

  /// The head that the handler has not seen, if there is one.
  func takePendingHead() -> TransferHead? {
    guard !hasHead else { return nil }
    if kind == .ftp {
      heldHead = ftp.head(ftpRange)
    }
    guard let head = heldHead.take() else { return nil }
    accept(head)
    return head
  }

  /// This is the head whose body is delivered.
  private func accept(_ head: borrowing TransferHead) {
    hasHead = true
    expectBody(after: head)
    let hasNoBody = isHeadRequest || head.statusCode == 204 || head.statusCode == 304
    expectedLength = hasNoBody ? 0 : head.contentLength
    if expectedLength == nil { watchEnd(after: head) }
  }

  /// Bytes of the response's body. Returns how many were taken, or libcurl's number for a pause.
  func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard let transfer else {
      drainBudget -= bytes.count
      return drainBudget < 0 ? 0 : bytes.count
    }
    // FTP: libcurl writes what it found out as fields of a header, to the body too.
    if kind == .ftp, isHeadRequest { return bytes.count }
    if !hasHead { deliverPendingHead() }
    guard let handler else {
      isReceivingPaused = true
      return Int(CURL_WRITEFUNC_PAUSE)
    }
    if isReceivingPaused { return Int(CURL_WRITEFUNC_PAUSE) }
    if kind == .ftp, ftpRangeReachesEnd, exceedsRange(bytes.count) { return 0 }
    if let contentEncoding { return receiveCodedBody(bytes, contentEncoding) }
    if gathers(bytes) { return gather(bytes, for: transfer, handler) }
    return receiveWhole(bytes, for: transfer, handler)
  }

  /// Hands bytes of the body on as they came.
  func receiveWhole(_ bytes: UnsafeRawBufferPointer, for transfer: Transfer, _ handler: any TransferHandler) -> Int {
    switch handler.transfer(transfer, didReceive: bytes) {
    case .accepted:
      receivedBytes += Int64(bytes.count)
      deliveredBytes += Int64(bytes.count)
      return bytes.count
    case .pause:
      isReceivingPaused = true
      return Int(CURL_WRITEFUNC_PAUSE)
    }
  }

  /// Fills `buffer` with the next bytes of the request's body. Returns how many, or one of libcurl's special numbers.
  func provideBody(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard transfer != nil else { return Int(CURL_READFUNC_ABORT) }
    guard !isSendingHeld else { return Int(CURL_READFUNC_PAUSE) }
    sendingTurn = reactor.turn
    switch body.read(into: buffer) {
    case .bytes(let count): return count
    case .end: return 0
    case .wait:
      isSendingPaused = true
      return Int(CURL_READFUNC_PAUSE)
    case .failed(let reason):
      failureReason = reason
      return Int(CURL_READFUNC_ABORT)
    }
  }

  /// Begins with the request's body anew, to send it again. False when that cannot, or must not, be done.
  func rewindBody() -> Bool {
    !refusesRepetition() && body.rewind()
  }

  func progress(uploaded: Int64) {
    if endWatch != nil { noteProgress() }
    let sent = min(uploaded, body.readBytes)
    guard sent != reportedSentBytes, let transfer else { return }
    reportedSentBytes = sent
    handler?.transfer(transfer, didSendBodyBytes: sent)
  }
}
