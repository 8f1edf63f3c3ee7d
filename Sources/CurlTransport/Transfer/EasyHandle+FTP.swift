import Glibc
internal import URLLoadingBase
internal import URLLoadingCCurl

/// What libcurl 7.88 gets wrong in FTP: it takes the reply to SIZE for the end of the file, and waits a minute for every reply.
extension EasyHandle {
  /// For the reply to SIZE or MDTM, and each step of a listing that is a question. All other commands have libcurl's own timeouts.
  private static let replyTimeout = Duration.seconds(2)

  /// Sets the questions about a file that libcurl sends. It ignores the replies, unless they refuse REST.
  func setQuestions(for request: borrowing TransferRequest) {
    let ftp = FTPExchange(for: request)
    run.ftp = ftp
    _ = ccurl_set_list(curl, CURLOPT_PREQUOTE, nil)
    curl_slist_free_all(questionList)
    questionList = nil
    if let command = ftp.change?.command { return beginChange(command) }
    guard request.method == "GET" || request.method == "HEAD" else { return }
    let path = FTPPath(url: request.url)
    guard let file = path.file, !path.isListing else { return }
    // With HEAD libcurl asks for the size. In ASCII mode, a file's size differs from the bytes received.
    if request.method == "GET", request.ftpQuestions.contains(.size), !path.isText { append("*SIZE ", file) }
    if request.ftpQuestions.contains(.date) { append("*MDTM ", file) }
    if request.method == "GET", let first = ftp.range?.first, first > 0 { append("*REST ", Array("\(first)".utf8)) }
    _ = ccurl_set_list(curl, CURLOPT_PREQUOTE, questionList)
  }

  func append(_ command: String, _ argument: [UInt8]) {
    let line = (Array(command.utf8) + argument + [0]).map { CChar(bitPattern: $0) }
    // Nil only when memory ran out; the list is then as before.
    if let list = curl_slist_append(questionList, line) { questionList = list }
  }

  // MARK: Commands and replies

  /// Watches the commands that libcurl sends to an FTP server; only its log has them.
  func setCommandCallback() {
    set(CURLOPT_DEBUGDATA, UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()))
    _ = ccurl_set_debug(curl) { _, type, bytes, count, context in
      guard type == CURLINFO_HEADER_OUT, count >= 4, let bytes, let handle = EasyHandle.handle(context) else {
        return 0
      }
      let line = UnsafeRawBufferPointer(start: bytes, count: count)
      handle._withUnsafeGuaranteedRef { memcmp(bytes, "QUIT", 4) == 0 ? $0.quits() : $0.commandIsSent(line) }
      return 0
    }
    set(CURLOPT_VERBOSE, 1)
  }

  func commandIsSent(_ line: UnsafeRawBufferPointer) {
    guard run.ftp?.change == nil else { return changeIsSent(line) }
    run.ftp?.replies.sent(line)
    if openQuestion != nil { waitForReply() }
  }

  /// What is to be answered in time. To list a folder may take longer, unless that is to tell a size.
  private var openQuestion: FTPQuestions? {
    guard let question = run.ftp?.replies.openQuestion else { return nil }
    return question != .listing || run.transfer?.request.ftpQuestions.contains(.listing) == true ? question : nil
  }

  private func waitForReply() {
    wait(until: .now.advanced(by: Self.replyTimeout))
  }

  /// - Parameter deadline: `.distantFuture` where nothing is to be answered in time; the limit of the transfer holds all the same.
  private func wait(until deadline: MonotonicInstant) {
    multi?.setDeadline(min(deadline, run.ftp?.deadline ?? .distantFuture), of: self)
  }

  /// The transfer begins, or its owner goes on, whose pause was no silence of the server: all times begin.
  func waitAnew() {
    run.ftp?.deadline =
      run.transfer?.request.ftpTimeLimit.map { MonotonicInstant.now.advanced(by: $0) } ?? .distantFuture
    if openQuestion != nil { waitForReply() } else { wait(until: .distantFuture) }
  }

  func questionIsUnanswered() {
    // A transfer that has taken too long is no sign of a question that is never answered.
    guard let ftp = run.ftp, MonotonicInstant.now < ftp.deadline else { return }
    run.failureReason = openQuestion.map { .unanswered($0) }
  }

  /// A piece of a body came.
  func dataCame() {
    if openQuestion == .listing { waitForReply() }
  }

  /// Takes a line of the control connection. Returns how much of it was taken: less than all ends the transfer.
  func receiveReply(_ line: UnsafeRawBufferPointer) -> Int {
    guard let ftp = run.ftp else { return line.count }
    ftp.replies.take(line)
    if ftp.change != nil, ftp.replies.isComplete { continueChange(after: line, of: ftp.replies.code) }
    switch openQuestion {
    case nil: wait(until: .distantFuture)
    case .listing?: waitForReply()
    default: break
    }
    if ftp.replies.refusesRestart, ftp.range != nil, !run.isHeadRequest {
      run.failureReason = .restartRefused
      return 0
    }
    if ftp.replies.namesDataConnection { run.transfer?.openDataConnection() }
    return line.count
  }

  /// libcurl 7.88 has sent QUIT, and would block the loop until the server replies.
  private func quits() {
    guard let multi else { return }
    let ports =
      run.ports
      ?? PortPair(
        local: ccurl_get_long(curl, CURLINFO_LOCAL_PORT), remote: ccurl_get_long(curl, CURLINFO_PRIMARY_PORT))
    reactor.shutDownControlConnections(of: multi, between: ports)
  }

  // MARK: The body

  /// Whether `count` more bytes exceed the range, which reaches to the end of the file; then the transfer fails.
  func exceedsRange(_ count: Int) -> Bool {
    guard let length = run.ftp?.range?.length(in: nil), run.receivedBytes + Int64(count) > length else { return false }
    run.failureReason = .wrongLength(received: run.receivedBytes + Int64(count), expected: length)
    return true
  }

  /// libcurl's result, corrected by what it does not check. More bytes than SIZE has announced are not an error if the
  /// server confirms the transfer: a file may grow.
  func ftpResult(_ code: CURLcode) -> CURLcode {
    if let change = run.ftp?.change { return changeResult(change, code) }
    guard code == CURLE_OK, run.body == nil, let ftp = run.ftp else { return code }
    if run.isHeadRequest {
      return ftp.replies.deniesDate && ftp.replies.size == nil ? CURLE_REMOTE_FILE_NOT_FOUND : code
    }
    guard let expected = ftp.head.contentLength, run.receivedBytes < expected else { return code }
    run.failureReason = .wrongLength(received: run.receivedBytes, expected: expected)
    return CURLE_PARTIAL_FILE
  }

  /// Many servers, and proxies that are spoken to over TLS, end the data connection without close_notify (RFC 8446, section 6.1) at the end
  /// of a file: what counts is that all announced bytes came.
  func isCompleteFTP(despite code: CURLcode) -> Bool {
    guard code == CURLE_RECV_ERROR, let ftp = run.ftp, ftp.replies.hasAgreed, run.body == nil,
      shape?.ftpTLS == .explicit || shape?.proxy?.kind == .https,
      let expected = ftp.head.contentLength, run.receivedBytes == expected
    else { return false }
    return String(cString: errorBuffer).contains("unexpected eof")
  }
}
