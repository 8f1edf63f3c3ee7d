import Glibc
internal import URLLoadingCCurl

/// Where a transfer is with its first field line; see below.
struct FirstField {
  fileprivate enum Phase { case statusLine, field, past }

  fileprivate var phase = Phase.past
  /// libcurl logs for this line's sake.
  fileprivate(set) var isLogged = false
}

/// A line that begins with whitespace, and that no field comes before, is to be ignored (RFC 9112, section 2.2).
///
/// libcurl 7.83 to 8.2 joins it to the field line before, whatever that was. Up to 8.0 that may be one of the handle's transfer before, whose
/// memory is freed, so that a server ends the process by such a line (`prevhead` in its headers.c; `curl_easy_reset` keeps it); where there is
/// none it fails the transfer, as 8.1 and 8.2 always do. A handle of its own for each transfer would cost 5 to 20 %.
///
/// But libcurl logs a line before it evaluates it, from memory that is its own and may be written to: a colon in place of the whitespace makes
/// the line a field without a name, to which later lines can be joined, and which the parser drops. The log is on from the status line to the
/// first field alone, because libcurl formats much for it.
extension EasyHandle {
  /// A transfer begins.
  func expectFirstField() {
    let wasLogged = firstField.isLogged
    firstField = FirstField(
      phase: run.kind == .http && CurlLibrary.shared.misjudgesFirstFields ? .statusLine : .past)
    if wasLogged { updateLogging() }
  }

  /// A line of a head has come: the first is a status line.
  func recordHeaderLine() {
    guard firstField.phase == .statusLine else { return }
    firstField.phase = .field
    log()
  }

  /// While receiving is paused, libcurl may read a head, and passes no line of it on.
  func watchFirstFieldWhilePaused() {
    if firstField.phase == .statusLine { log() }
  }

  private func log() {
    firstField.isLogged = true
    set(CURLOPT_VERBOSE, 1)
  }

  /// libcurl logs a line of a head, and evaluates it next.
  func willEvaluate(headerLine line: UnsafeMutableRawBufferPointer) {
    switch firstField.phase {
    case .past: return
    case .statusLine: firstField.phase = .field
    case .field:
      // The end of a head without a field, or the status line behind an informational one.
      guard let first = line.first, first != 13, first != 10,
        !ResponseHeadParser.isStatusLine(UnsafeRawBufferPointer(line))
      else { return }
      if ResponseHeadParser.isBlank(first) { line[0] = UInt8(ascii: ":") }
      firstField.phase = .past
      guard firstField.isLogged else { return }
      firstField.isLogged = false
      updateLogging()
    }
  }
}
