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

  // A load has tens of accesses to this, `origin` and `fieldList`, and a check of one costs it 70 instructions. Debug builds, and so the tests,
  // check that no two overlap.
  #if DEBUG
  var run = TransferRun()
  #else
  @exclusivity(unchecked) var run = TransferRun()
  #endif

  // How the handle is set up; see EasyHandle+Options.
  var shape: EasyHandleShape?
  #if !DEBUG
  @exclusivity(unchecked)
  #endif
  var origin = KeptOrigin()
  /// The fields that libcurl has, and whether it has them.
  #if !DEBUG
  @exclusivity(unchecked)
  #endif
  var fieldList = FieldList()
  var hasFields = false
  var headers: [(name: String, value: String)] = []
  /// The last of its kind: with few choices they are nearly always the same, and the configuration is that of all transfers of a handle.
  var lastDefaultFields: (choice: Int, line: String?)?
  var proxyHeaderList: UnsafeMutablePointer<curl_slist>?
  var questionList: UnsafeMutablePointer<curl_slist>?
  /// Where datagrams go; see EasyHandle+QUIC.
  var endpointList: UnsafeMutablePointer<curl_slist>?
  /// The addresses of hosts that are not looked up, for as long as the handle lives.
  var addressList: UnsafeMutablePointer<curl_slist>?
  /// The cache of names and TLS sessions that the handle has of the loop's.
  var share: UnsafeMutableRawPointer?
  /// The TLS sessions of a transfer that shares them with no other.
  var sessionShare: UnsafeMutableRawPointer?
  var recordsRequestHeads = false
  /// How many requests a connection takes.
  var maximumUses = Int.max
  /// The Unix socket that the handle's connections go to; nil for hosts.
  var socketPath: String?
  /// libcurl has refused an option for where connections begin or end.
  var lacksEnds = false
  /// See EasyHandle+FirstField.
  var firstField = FirstField()
  /// See EasyHandle+Head.
  let collectedHead: UnsafeMutablePointer<ccurl_head>
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
    collectedHead = .allocate(capacity: 1)
    collectedHead.initialize(to: ccurl_head())
    errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    curl_easy_cleanup(curl)
    curl_share_cleanup(sessionShare)
    curl_slist_free_all(proxyHeaderList)
    curl_slist_free_all(questionList)
    curl_slist_free_all(endpointList)
    curl_slist_free_all(addressList)
    ccurl_head_drop(collectedHead)
    collectedHead.deallocate()
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
    run.transfer.take()?.attach(nil)
    removeInlineBody()
    hear(false)
    ccurl_head_drop(collectedHead)
    dropCoalescedBody()
    if let adopted = run.connection?.takeAdopted() { close(adopted) }
    // libcurl counts what it tries again for as long as the handle lives, and gives up after five; a reset forgets that. The options of a
    // connection are not a request's.
    if run.sentRequests > 1 || run.connection != nil { shape = nil }
    // What else the old one refers to goes after the change, for it may come back here.
    let old = exchange(&run, with: TransferRun())
    withExtendedLifetime(old) {}
  }
}
