import Glibc
internal import URLLoadingCCurl

/// The heads of responses. libcurl passes on each of their lines alone; a C function collects the fields, so that a head takes two calls: one
/// for its status line, and one for all fields and the end.
extension EasyHandle {
  /// A request is sent, or sent again: a new head is to come.
  func expectHead() {
    ccurl_head_drop(collectedHead)
    run.parser.expectHead()
  }

  /// Takes lines that are fields, and the end of the head where that came after them.
  /// - Returns: how much was taken: less than all ends the transfer.
  func receive(fields: Int, in lines: UnsafeRawBufferPointer) -> Int {
    guard run.transfer != nil else { return lines.count }
    return receive(run.parser.take(fields: fields, in: lines)) ? lines.count : 0
  }

  /// Takes a line, or several. To resume makes libcurl 7.88 read once, even if receiving is paused again by then (`curl_easy_pause` sets
  /// `cselect_bits`). It keeps lines that it reads so, and passes them on as one piece.
  /// - Returns: how much was taken: less than all ends the transfer.
  func receive(headerLines lines: UnsafeRawBufferPointer) -> Int {
    recordHeaderLine()
    var rest = lines
    while let start = rest.baseAddress, let end = memchr(start, Int32(UInt8(ascii: "\n")), rest.count) {
      let count = UnsafeRawPointer(end) - start + 1
      guard count < rest.count else { break }
      guard receive(header: UnsafeRawBufferPointer(start: start, count: count)) else { return 0 }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    guard receive(header: rest) else { return 0 }
    // The one door to what collects fields. Gained: 6,300 of 14,700 instructions of a head of 20 lines, 2,400 of 7,500 of one of 10.
    collectedHead.pointee.collects = run.kind == .http && run.parser.isInFields ? 1 : 0
    return lines.count
  }

  /// A line of a response's head or trailers.
  /// - Returns: false ends the transfer.
  private func receive(header line: UnsafeRawBufferPointer) -> Bool {
    guard run.transfer != nil else { return true }
    if run.kind == .ftp, !awaitsTunnel { return receiveReply(line) == line.count }
    return receive(run.parser.take(line))
  }

  /// Does what lines of a head have led to.
  /// - Returns: false ends the transfer.
  private func receive(_ event: consuming ResponseHeadParser.Event) -> Bool {
    switch consume event {
    case .none: return true
    case .failure(let reason):
      run.failureReason = reason
      return false
    case .head(let head):
      receive(consume head)
      guard run.refusals <= Self.largestRefusalCount else {
        run.pendingHead = nil
        run.failureReason = .endlessRefusal(isByProxy: !run.isRequestSent)
        return false
      }
      return true
    }
  }

  /// How often libcurl may repeat a request in one transfer: a server that calls each nonce stale (RFC 7616, section 3.3) would have it
  /// repeat for ever. As many as credentials of a load may be refused.
  private static let largestRefusalCount = 16

  /// Lines are those of a proxy that is to open a tunnel to an FTP server.
  private var awaitsTunnel: Bool {
    guard !run.isRequestSent, let proxy = shape?.proxy, !proxy.kind.isSOCKS else { return false }
    return run.proxyHead.map { !(200..<300).contains($0.statusCode) } ?? true
  }

  private func receive(_ head: consuming TransferHead) {
    guard let transfer = run.transfer, let handler = run.handler else { return }
    guard run.isRequestSent else {
      if head.statusCode == 407, run.credentialsAnswer407 { run.refusals += 1 }
      head.speaker = .proxy
      run.proxyHead = head
      expectHead()
      return
    }
    recordSpeaker(in: &head)
    if (100..<200).contains(head.statusCode), head.statusCode != 101 {
      handler.transfer(transfer, didReceiveInformational: head)
      return
    }
    answerCame()
    if shape?.switchesProtocols == true {
      run.hasSwitched = head.statusCode == 101
      if run.hasSwitched == true { prepareDirectReceiving() }
      // libcurl waits for the end of the body, or for its beginning.
      transfer.resumeSending()
    }
    // libcurl sends no more of a body that was refused (RFC 9110, section 9.3.4), but waits with one that was paused until it goes on.
    if head.statusCode >= 300 { transfer.resumeSending() }
    if run.tlsVersion == nil { (run.tlsVersion, run.tlsCipherSuite) = TLSInspector.parameters(of: curl) }
    let isChallenge =
      (head.statusCode == 401 && run.credentialsAnswer401) || (head.statusCode == 407 && run.credentialsAnswer407)
    // libcurl before 8.1 may lose the body of an answer that comes before the request's body was sent. Without a byte of it the answer is
    // held back, so that the request can be sent again; but not from a body that may wait for the answer.
    let mayLoseBody =
      CurlLibrary.shared.losesEarlyAnswers && head.httpVersion == "HTTP/2" && run.body?.isComplete == false
      && !run.isAwaitingBody && head.statusCode != 204 && head.statusCode != 304 && (head.contentLength ?? 0) > 0
    if isChallenge { run.refusals += 1 }
    guard !isChallenge, !mayLoseBody else {
      run.pendingHead = head
      return
    }
    guard !run.hasHead else { return }
    accept(head)
    handler.transfer(transfer, didReceive: consume head)
  }

  func deliverPendingHead() {
    guard let transfer = run.transfer, let head = takePendingHead() else { return }
    run.handler?.transfer(transfer, didReceive: head)
  }

  /// The head that the handler has not seen, if there is one.
  func takePendingHead() -> TransferHead? {
    guard !run.hasHead else { return nil }
    if let ftp = run.ftp { run.pendingHead = ftp.head }
    guard let head = run.pendingHead.take() else { return nil }
    accept(head)
    return head
  }

  /// Who speaks once the request is sent.
  private func recordSpeaker(in head: inout TransferHead) {
    guard let shape else { return }
    if head.statusCode == 407, shape.isForwarded { return head.speaker = .proxy }
    // libcurl verifies where the owner judges nobody.
    if shape.isHTTPS, !shape.isIsolated || run.verification?.verdict.isTrusted == true {
      head.speaker = .verifiedOrigin
    }
  }

  /// This is the head whose body is delivered.
  private func accept(_ head: borrowing TransferHead) {
    run.hasHead = true
    expectBody(after: head)
    let hasNoBody = run.isHeadRequest || head.statusCode == 204 || head.statusCode == 304
    // After a switch of protocols comes no content, whatever the fields say (RFC 9110, section 15.2.2).
    run.expectedLength = hasNoBody ? 0 : head.statusCode == 101 ? nil : head.contentLength
  }
}
