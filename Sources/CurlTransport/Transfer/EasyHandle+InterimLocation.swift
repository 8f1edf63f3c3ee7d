import Glibc
internal import URLLoadingCCurl

/// Which lines of a transfer's interim responses are hidden from libcurl; see below.
struct InterimLocations {
  /// libcurl logs for their sake.
  fileprivate(set) var isLogged = false
  fileprivate var isInterim = false
  /// Lines that were hidden, and that the parser has not got yet.
  fileprivate var hidden = 0
}

/// The Location of an interim response, such as that where an upload may be resumed, is not one of the final response (RFC 9110, section 15.2).
///
/// libcurl 8.17 and later fail a transfer whose response has two that differ, and count those of its interim responses. It logs a line
/// before it evaluates it, from memory that may be written to (see EasyHandle+FirstField): another first letter hides the field, and the
/// parser gets the right one. The log is on from an interim response's status line to its end alone.
extension EasyHandle {
  /// A transfer begins.
  func expectInterimHeads() {
    let wasLogged = interimLocations.isLogged
    interimLocations = InterimLocations()
    if wasLogged { updateLogging() }
  }

  /// A line of a head has come.
  func recordInterimHead(_ line: UnsafeRawBufferPointer) {
    guard CurlLibrary.shared.comparesInterimLocations, run.kind == .http, Self.isInterim(statusLine: line) else {
      return
    }
    interimLocations.isInterim = true
    logInterimLocations()
  }

  /// While receiving is paused, libcurl may read heads, and passes no line of them on.
  func watchInterimHeadsWhilePaused() {
    if CurlLibrary.shared.comparesInterimLocations, run.kind == .http, !run.isAnswered { logInterimLocations() }
  }

  private func logInterimLocations() {
    guard !interimLocations.isLogged else { return }
    interimLocations.isLogged = true
    updateLogging()
  }

  /// libcurl logs a line of a head, and evaluates it next.
  func hideInterimLocation(in line: UnsafeMutableRawBufferPointer) {
    guard interimLocations.isLogged, let first = line.first else { return }
    if ResponseHeadParser.isStatusLine(UnsafeRawBufferPointer(line)) {
      interimLocations.isInterim = Self.isInterim(statusLine: UnsafeRawBufferPointer(line))
    } else if first == UInt8(ascii: "\r") || first == UInt8(ascii: "\n") {
      interimLocations.isLogged = false
      updateLogging()
    } else if interimLocations.isInterim, Self.isLocation(line), let hiding = Self.hiding(first) {
      line[0] = hiding
      interimLocations.hidden += 1
    }
  }

  /// Gives a line that was hidden its letter again.
  func showInterimLocation(in line: UnsafeRawBufferPointer) {
    guard interimLocations.hidden > 0, let first = line.first, let shown = Self.shown(first) else { return }
    // libcurl's own memory, as in its log.
    let line = UnsafeMutableRawBufferPointer(mutating: line)
    line[0] = shown
    guard Self.isLocation(line) else {
      line[0] = first
      return
    }
    interimLocations.hidden -= 1
  }

  private static func isInterim(statusLine line: UnsafeRawBufferPointer) -> Bool {
    guard ResponseHeadParser.isStatusLine(line), let space = line.firstIndex(of: UInt8(ascii: " ")) else {
      return false
    }
    return space + 1 < line.count && line[space + 1] == UInt8(ascii: "1")
  }

  private static func isLocation(_ line: UnsafeMutableRawBufferPointer) -> Bool {
    guard let start = line.baseAddress, line.count > 9 else { return false }
    return strncasecmp(start.assumingMemoryBound(to: CChar.self), "location:", 9) == 0
  }

  /// Both are letters of a field's name (RFC 9110, section 5.6.2).
  private static func hiding(_ letter: UInt8) -> UInt8? {
    letter == UInt8(ascii: "L") ? UInt8(ascii: "!") : letter == UInt8(ascii: "l") ? UInt8(ascii: "#") : nil
  }

  private static func shown(_ letter: UInt8) -> UInt8? {
    letter == UInt8(ascii: "!") ? UInt8(ascii: "L") : letter == UInt8(ascii: "#") ? UInt8(ascii: "l") : nil
  }
}
