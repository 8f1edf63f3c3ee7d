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

  // A part of a transfer takes tens of accesses to this. Debug builds, and so the tests, check that no two overlap; to check it for every load
  // costs 2,000 instructions.
  #if DEBUG
  var run = TransferRun()
  #else
  @exclusivity(unchecked) var run = TransferRun()
  #endif

  // How the handle is set up; see EasyHandle+Options.
  var shape: EasyHandleShape?
  var headerList: UnsafeMutablePointer<curl_slist>?
  var headers: [(name: String, value: String)] = []
  var proxyHeaderList: UnsafeMutablePointer<curl_slist>?
  var questionList: UnsafeMutablePointer<curl_slist>?
  /// The addresses of hosts that are not looked up, for as long as the handle lives.
  var addressList: UnsafeMutablePointer<curl_slist>?
  /// The cache of names and TLS sessions that the handle has of the loop's.
  var share: UnsafeMutableRawPointer?
  /// The TLS sessions of a transfer that shares them with no other.
  var sessionShare: UnsafeMutableRawPointer?
  var recordsRequestHeads = false
  /// See EasyHandle+FirstField.
  var firstField = FirstField()
  /// See EasyHandle+InterimLocation.
  var interimLocations = InterimLocations()
  let errorBuffer: UnsafeMutablePointer<CChar>
  /// Names that were set for one transfer, and TLS sessions, outlast `curl_easy_reset`, as it documents; so does, undocumented, that a
  /// stream was refused, which libcurl then says of the next one that fails. No other transfer gets the handle.
  var isOfOneTransfer = false
  /// Kept for other transfers; see EasyHandle+Decoding.
  var decodingBuffer: UnsafeMutableRawBufferPointer?

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
    run.transfer = transfer
    run.handler = work.handler
    run.startTime = transfer.startTime
    run.startInstant = transfer.startInstant
    run.isReceivingPaused = work.isPaused
    run.isSendingPaused = work.isPaused
    run.fate.isRepetition = transfer.request.isRepetition
    transfer.attach(self)
    errorBuffer.pointee = 0
  }

  /// The transfer's handler gets no more calls; what is left of the transfer is the handle's affair alone.
  func abandonTransfer() {
    run.transfer?.attach(nil)
    // Taken, so that what goes with the last reference to them may come back here.
    _ = run.transfer.take()
    _ = run.handler.take()
  }

  /// Gives back what is not the transfer's for good, and forgets the transfer.
  func detach() {
    run.transfer?.attach(nil)
    removeInlineBody()
    hear(false)
    dropCoalescedBody()
    if let adopted = run.connection?.takeAdopted() { close(adopted) }
    // libcurl counts what it tries again for as long as the handle lives, and gives up after five; a reset forgets that. The options of a
    // connection are not a request's.
    if run.sentRequests > 1 || run.connection != nil { shape = nil }
    // What the old one refers to goes after the change, for it may come back here.
    _ = exchange(&run, with: TransferRun())
  }

  // MARK: Events

  func leaveQueue() {
    guard run.queueTime == nil, let transfer = run.transfer else { return }
    run.queueTime = run.startInstant.seconds(to: .now)
    if run.kind == .ftp { waitAnew() }
    run.handler?.transferDidLeaveQueue(transfer)
  }

  /// A connection is opened, perhaps for a request that libcurl sends again by itself: the proxy that it is through speaks first, once more.
  func connectionOpens() {
    guard run.kind == .http, shape?.proxy != nil, run.isRequestSent || run.proxyHead != nil else { return }
    run.isRequestSent = false
    run.proxyHead = nil
    run.pendingHead = nil
    run.parser.expectHead()
  }

  /// The connection is ready, and a request is about to be sent: the first, one with credentials, or the same again.
  /// - Returns: whether it is to be sent.
  func requestBegins(on ports: PortPair) -> Bool {
    guard !refusesRepetition(), isVerified(on: ports), !isClosed(on: ports) else { return false }
    run.ports = ports
    leaveQueue()
    recordMultiplexing(on: ports)
    multi?.requestBegins()
    if run.sentRequests > 0, !run.isAnswered { isOfOneTransfer = true }
    followStream(on: ports)
    if CurlLibrary.shared.losesEarlyAnswers, run.kind == .http, run.body != nil {
      // Once it has an answer's length, libcurl before 8.1 reads no more, and would not see that the server lets go of the stream.
      set(CURLOPT_IGNORE_CONTENT_LENGTH, multi?.isMultiplexed(ports) == true ? 1 : 0)
    }
    run.isRequestSent = true
    run.sentRequests += 1
    run.earlierUploads += run.latestUpload
    run.latestUpload = 0
    run.isAnswered = false
    run.hasSwitched = nil
    run.pendingHead = nil
    run.parser.expectHead()
    recordInlineBody()
    return true
  }

  /// The request got an answer that is more than informational.
  func answerCame() {
    run.isAnswered = true
    leaveStream()
  }

  /// Whether the connection's server was verified by the transfer's rules, by this transfer or an earlier one.
  private func isVerified(on ports: PortPair) -> Bool {
    guard let shape, shape.isIsolated, shape.usesTLS else { return true }
    if let new = run.handshakes?.verification { multi?.recordVerification(new, of: ports) }
    run.handshakes?.end()
    run.verification = multi?.verification(of: ports)
    if let verification = run.verification {
      // It may have been accepted before the host was known to ask for more.
      run.failureReason = run.transfer?.request.security?.refusal(of: verification.verdict)
    } else {
      run.failureReason = .unverifiedConnection
    }
    return run.failureReason == nil
  }

  /// Whether the request was about to be the next one of a connection of HTTP/1.1 whose other end has closed it. Then it goes to another
  /// one: whoever sends it there leaves to chance whether a body can be sent again, and whether the request was carried out. Any other
  /// request is sent again by libcurl.
  private func isClosed(on ports: PortPair) -> Bool {
    guard CurlLibrary.shared.reusesClosedConnections, run.kind == .http, run.sentRequests == 0, run.openedSocket == nil,
      let shape, run.body != nil || !Repetition.isIdempotent(shape.method), multi?.isMultiplexed(ports) != true
    else { return false }
    // POLLRDHUP, which Swift's Glibc lacks, has the same value.
    let events = Int16(truncatingIfNeeded: EPOLLRDHUP.rawValue)
    var descriptor = pollfd(fd: ccurl_get_active_socket(curl), events: events, revents: 0)
    guard descriptor.fd >= 0, poll(&descriptor, 1, 0) > 0 else { return false }
    run.failureReason = .closedBefore
    return true
  }

  /// Begins more transfers when the connection takes many at once.
  private func recordMultiplexing(on ports: PortPair) {
    guard shape?.isHTTPS == true, let multi, let place else { return }
    let socket = run.openedSocket.take()
    guard socket != nil || !multi.isMultiplexing(at: place) || !multi.isMultiplexed(ports) else { return }
    // With another TLS library the protocol is unknown: then libcurl queues the requests that find no connection.
    guard TLSInspector.protocolName(of: curl) ?? "h2" == "h2" else { return }
    multi.multiplexes(at: place)
    multi.multiplexes(on: ports, openedAs: socket, TLSInspector.session(of: curl))
  }
}
