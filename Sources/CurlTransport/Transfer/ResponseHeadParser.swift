import Glibc
internal import URLLoadingBase

/// Collects the lines of a response's head, and of its trailers, as libcurl passes them on.
struct ResponseHeadParser: ~Copyable {
  enum Event {
    /// More lines are needed.
    case none
    /// A head is complete. Lines that follow are trailers, unless another status line comes after an informational one.
    case head(TransferHead)
    /// The response cannot be accepted.
    case failure(TransferFailure.Reason)
  }

  /// Bytes that one head, or the trailers, may have. Below libcurl's own limits, whose errors say less.
  static let maximumBytes = 256 * 1024
  /// Bytes of all heads of a transfer: informational responses may come without end.
  static let maximumTotalBytes = 1024 * 1024
  static let maximumFields = 1000

  /// What the lines of a head say that matters here.
  struct Facts {
    var statusCode = 0
    var httpVersion = ""
    var contentLength: Int64?
    var hasSetCookie = false
    var hasStrictTransportSecurity = false
    var hasContentEncoding = false
    var forbidsStoring = false
    var isChunked = false
    var hasBadLength = false
  }

  private enum State { case statusLine, fields, trailers }

  private var state = State.statusLine
  private var facts = Facts()
  private var lines = FieldLines()
  private var bytes = 0
  private var totalBytes = 0

  /// A new request is sent in the same transfer: its response starts with a status line.
  mutating func expectHead() {
    state = .statusLine
    bytes = 0
  }

  /// Takes one line with its line end.
  ///
  /// A carriage return elsewhere is whitespace in a value, and refused before it (RFC 9112, section 2.2).
  mutating func take(_ line: UnsafeRawBufferPointer) -> Event {
    bytes += line.count
    totalBytes += line.count
    guard bytes <= Self.maximumBytes, totalBytes <= Self.maximumTotalBytes else { return .failure(.headTooLarge) }
    var length = line.count
    while length > 0, line[length - 1] == 10 || line[length - 1] == 13 { length -= 1 }
    switch state {
    case .statusLine:
      guard length > 0 else { return .none }
      state = .fields
      return takeStatusLine(UnsafeRawBufferPointer(rebasing: line[..<length]))
    case .fields: return length > 0 ? takeField(line, length) : endHead()
    case .trailers: return length > 0 ? takeField(line, length) : .none
    }
  }

  /// Fields of a head are to come, or its end.
  var isInFields: Bool { state == .fields }

  /// Takes several fields of a head, and its end where that is after them.
  /// - Parameters:
  ///   - count: how many lines are fields. Each has a name and a colon, and its one line feed at its end; a carriage return is nowhere but
  ///     before that.
  ///   - lines: these, and the empty line after them if it came.
  mutating func take(fields count: Int, in lines: UnsafeRawBufferPointer) -> Event {
    bytes += lines.count
    totalBytes += lines.count
    guard bytes <= Self.maximumBytes, totalBytes <= Self.maximumTotalBytes,
      self.lines.count + count <= Self.maximumFields
    else { return .failure(.headTooLarge) }
    var start = 0
    for _ in 0..<count {
      let rest = UnsafeRawBufferPointer(rebasing: lines[start...])
      guard let length = Self.firstIndex(of: 10, in: rest) else { break }
      let content = UnsafeRawBufferPointer(
        rebasing: rest[..<(length > 0 && rest[length - 1] == 13 ? length - 1 : length)])
      if let colon = Self.colon(in: content) { note(content, colon) }
      start += length + 1
    }
    self.lines.append(UnsafeRawBufferPointer(rebasing: lines[..<start]), count: count)
    return start < lines.count ? endHead() : .none
  }

  /// The fields that came after the body.
  mutating func takeTrailers() -> [(name: String, value: String)] {
    state == .trailers && lines.count > 0 ? exchange(&lines, with: FieldLines()).fields : []
  }

  private mutating func endHead() -> Event {
    // RFC 9112 section 6.3: without a valid length the end of the body is unknown.
    guard facts.isChunked || !facts.hasBadLength else {
      return .failure(.malformedHead("the response has an invalid Content-Length"))
    }
    bytes = 0
    // After 101 the connection speaks another protocol; it is the last head.
    state = (100..<200).contains(facts.statusCode) && facts.statusCode != 101 ? .statusLine : .trailers
    return .head(TransferHead(facts, lines: exchange(&lines, with: FieldLines())))
  }

  /// RFC 9112, section 4, but for more whitespace before the status. libcurl's versions take other lines, too, and not the same ones.
  private mutating func takeStatusLine(_ line: UnsafeRawBufferPointer) -> Event {
    facts = Facts()
    lines = FieldLines()
    let versionEnd = line.firstIndex(where: Self.isBlank) ?? line.count
    let version = UnsafeRawBufferPointer(rebasing: line[..<versionEnd])
    var index = versionEnd
    while index < line.count, Self.isBlank(line[index]) { index += 1 }
    let start = index
    while index < line.count, index - start < 4, Self.isDigit(line[index]) {
      facts.statusCode = facts.statusCode * 10 + Int(line[index] - 48)
      index += 1
    }
    guard Self.isVersion(version), index - start == 3, facts.statusCode >= 100 else {
      return .failure(.malformedHead("the response does not begin with a status line (RFC 9112, section 4)"))
    }
    facts.httpVersion = Self.name(ofVersion: version)
    return .none
  }

  /// - Parameters:
  ///   - line: a line with its line end.
  ///   - length: how much of it stands before the line end; not 0.
  private mutating func takeField(_ line: UnsafeRawBufferPointer, _ length: Int) -> Event {
    let content = UnsafeRawBufferPointer(rebasing: line[..<length])
    let bareReturn = Self.firstIndex(of: 13, in: content)
    if Self.isBlank(content[0]) {
      // A folded line (RFC 9112 section 5.2) continues the value before it.
      lines.appendFolded(Self.trimmed(content))
      if bareReturn != nil { lines.replaceCarriageReturns(inLast: length) }
      return .none
    }
    let colon = Self.colon(in: content)
    if let bareReturn, bareReturn < colon ?? content.count {
      return .failure(
        .malformedHead("a line of the response's head has a carriage return where a field's name is to be"))
    }
    guard let colon, colon > 0 else { return .none }
    guard lines.count < Self.maximumFields else { return .failure(.headTooLarge) }
    lines.append(line)
    if bareReturn != nil { lines.replaceCarriageReturns(inLast: line.count) }
    if state == .fields { note(content, colon) }
    return .none
  }

  /// Keeps what a field of a head says that matters here.
  private mutating func note(_ content: UnsafeRawBufferPointer, _ colon: Int) {
    var nameEnd = colon
    while nameEnd > 0, Self.isBlank(content[nameEnd - 1]) { nameEnd -= 1 }
    let name = UnsafeRawBufferPointer(rebasing: content[..<nameEnd])
    switch nameEnd {
    case 10: if Self.equal(name, "set-cookie") { facts.hasSetCookie = true }
    case 13:
      if Self.equal(name, "cache-control") {
        let value = UnsafeRawBufferPointer(rebasing: content[(colon + 1)...])
        // With must-understand the status decides (RFC 9111 section 5.2.2.3).
        if Self.contains(value, "no-store"), !Self.contains(value, "must-understand") { facts.forbidsStoring = true }
      }
    case 14: if Self.equal(name, "content-length") { takeLength(content[(colon + 1)...]) }
    case 16: if Self.equal(name, "content-encoding") { facts.hasContentEncoding = true }
    case 17:
      if Self.equal(name, "transfer-encoding") {
        facts.isChunked = true
        facts.contentLength = nil
      }
    case 25: if Self.equal(name, "strict-transport-security") { facts.hasStrictTransportSecurity = true }
    default: break
    }
  }

  /// RFC 9112 section 6.3: a transfer coding overrides Content-Length; a list of equal lengths is one length.
  private mutating func takeLength(_ value: Slice<UnsafeRawBufferPointer>) {
    var rest = value
    repeat {
      let end = rest.firstIndex(of: 44) ?? rest.endIndex
      let digits = Self.trimmed(UnsafeRawBufferPointer(rebasing: rest[..<end]))
      rest = rest[end...]
      guard !digits.isEmpty, digits.count < 19, digits.allSatisfy({ $0 &- 48 < 10 }) else {
        facts.hasBadLength = true
        return
      }
      let length = digits.reduce(0) { $0 * 10 + Int64($1 - 48) }
      if let other = facts.contentLength, other != length { facts.hasBadLength = true }
      if !facts.isChunked { facts.contentLength = length }
    } while rest.popFirst() != nil
  }

  // MARK: Bytes

  static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }

  /// Whether a line of a head begins as its first one does.
  static func isStatusLine(_ line: UnsafeRawBufferPointer) -> Bool {
    guard let start = line.baseAddress, line.count > 5 else { return false }
    return memcmp(start, "HTTP/", 5) == 0
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }

  /// `HTTP/1.1`, or `HTTP/2` as libcurl writes it.
  private static func isVersion(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count == 8 || bytes.count == 6, let start = bytes.baseAddress, memcmp(start, "HTTP/", 5) == 0,
      isDigit(bytes[5])
    else { return false }
    return bytes.count == 6 || bytes[6] == UInt8(ascii: ".") && isDigit(bytes[7])
  }

  /// No new string for what nearly all servers speak.
  private static func name(ofVersion bytes: UnsafeRawBufferPointer) -> String {
    guard let start = bytes.baseAddress else { return "" }
    if bytes.count == 8, memcmp(start, "HTTP/1.1", 8) == 0 { return "HTTP/1.1" }
    if bytes.count == 6, memcmp(start, "HTTP/2", 6) == 0 { return "HTTP/2" }
    return string(bytes)
  }

  private static func firstIndex(of byte: Int32, in line: UnsafeRawBufferPointer) -> Int? {
    guard let start = line.baseAddress, let found = memchr(start, byte, line.count) else { return nil }
    return UnsafeRawPointer(found) - start
  }

  /// Where a field's name ends.
  static func colon(in line: UnsafeRawBufferPointer) -> Int? { firstIndex(of: 58, in: line) }

  static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var start = 0
    var end = bytes.count
    while start < end, isBlank(bytes[start]) { start += 1 }
    while end > start, isBlank(bytes[end - 1]) { end -= 1 }
    return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
  }

  static func equal(_ bytes: UnsafeRawBufferPointer, _ lowercased: StaticString) -> Bool {
    let expected = lowercased.utf8Start
    for index in 0..<bytes.count where bytes[index].asciiLowercased != expected[index] { return false }
    return true
  }

  /// Whether these bytes are somewhere in a value, in whatever case.
  static func contains(_ value: UnsafeRawBufferPointer, _ lowercased: StaticString) -> Bool {
    let count = lowercased.utf8CodeUnitCount
    var start = 0
    while start + count <= value.count {
      if value[start].asciiLowercased == lowercased.utf8Start[0],
        equal(UnsafeRawBufferPointer(rebasing: value[start..<start + count]), lowercased)
      {
        return true
      }
      start += 1
    }
    return false
  }

  /// UTF-8 if it is that, ISO-8859-1 else, which has a character for every byte (RFC 9110 section 5.5).
  static func string(_ bytes: UnsafeRawBufferPointer) -> String {
    // Nearly always ASCII; the general initialiser costs five times as much.
    if bytes.allSatisfy({ $0 < 128 }) { return String(decoding: bytes, as: UTF8.self) }
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    return String(String.UnicodeScalarView(bytes.lazy.map { Unicode.Scalar($0) }))
  }
}
