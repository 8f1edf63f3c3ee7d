internal import URLLoadingCCurl

/// What shows that a body over HTTP/2 was cut off.
struct EndWatch {
  /// The loop's turn in which as much as a GOAWAY was written to the server for the last time.
  var goAwayTurn: UInt64 = 0
  /// How often libcurl has said how far it is since then.
  var reports = 0
}

/// The end of a body over HTTP/2 that has no Content-Length.
///
/// When a server breaks the rules of HTTP/2 (RFC 9113, section 5.4.1), libcurl 7.88 ends the connection, and every transfer on it as
/// if END_STREAM had come; no callback tells the two apart, not even the log's. But such an end has two traces: the connection
/// is closed, and a GOAWAY was written right before. After a stream's own end the connection stays, or, where the server has
/// announced that it goes away, is closed without one.
///
/// What this does not see: the end while this transfer was paused, or others on the connection are, which keep it open; a GOAWAY in
/// the same turn as the request's last bytes, or in the same call as the head of any request on the connection; RST_STREAM with
/// NO_ERROR before END_STREAM; TLS by another library than OpenSSL. An END_STREAM that is read together with the offence counts as
/// none.
extension EasyHandle {
  /// libcurl may deliver the bytes before the GOAWAY first, and notice the end the next time that it processes the
  /// transfer. Each time it reports progress two to four times.
  private static let reportsToTheEnd = 16

  /// The head of a response without a length has come.
  func watchEnd(after head: borrowing TransferHead) {
    guard shape?.isHTTPS == true, kind == .http, head.httpVersion == "HTTP/2", let ports,
      multi?.multiplexedConnection(ports)?.writtenBytes != nil
    else { return }
    endWatch = EndWatch()
    if !body.isPresent { setProgressCallback() }
  }

  /// libcurl reports progress: during the transfer, and at its end while it still has the connection.
  func noteProgress() {
    guard let ports, let connection = multi?.multiplexedConnection(ports),
      let session = TLSInspector.session(of: curl), let now = TLSInspector.writtenBytes(session)
    else { return }
    switch now &- (connection.writtenBytes ?? now) {
    // Another transfer of the connection may have read what the server did.
    case 0 where connection.hasWrittenGoAway && endWatch?.goAwayTurn == 0:
      endWatch = EndWatch(goAwayTurn: reactor.turn)
    case 0: if multi?.isReadingForEveryStream == false { endWatch?.reports += 1 }
    // An answer may come in the call in which its request is written.
    case let count where !connection.isRequested && MultiplexedConnection.mayBeGoAway(count):
      endWatch = EndWatch(goAwayTurn: reactor.turn)
    // After a GOAWAY of its own, libcurl writes nothing.
    default: endWatch = EndWatch()
    }
  }

  func stopWatchingEnd() {
    guard endWatch != nil else { return }
    endWatch = nil
    // Transfers with a body want to know.
    if shape?.hasBody != true { set(CURLOPT_NOPROGRESS, 1) }
  }

  /// Whether the end of the connection truncated a body that libcurl reports as complete. With a content coding, the
  /// decoder detects that.
  var isCutOff: Bool {
    guard let endWatch, let ports, let multi, decoder == nil else { return false }
    guard endWatch.goAwayTurn > sendingTurn, endWatch.reports <= Self.reportsToTheEnd else { return false }
    return !multi.isMultiplexed(ports)
  }
}
