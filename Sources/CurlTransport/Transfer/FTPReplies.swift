import Glibc

/// What an FTP server's replies (RFC 959 section 4.2) tell that libcurl does not report, or trusts without a check.
struct FTPReplies {
  /// The commands whose replies matter.
  private enum Command {
    case size, date, restart, listing, other

    init(_ line: UnsafeRawBufferPointer) {
      self = .other
      guard line.count > 5 else { return }
      switch String(decoding: line[..<4], as: UTF8.self) {
      case "MLSD", "LIST": self = .listing
      case _ where line[4] != 32: break
      case "SIZE": self = .size
      case "MDTM": self = .date
      case "REST": self = .restart
      default: break
      }
    }
  }

  /// The code of the last complete reply.
  private(set) var code = 0
  /// Whether the last line ended a reply.
  private(set) var isComplete = false
  /// The line of the last reply that refused something.
  private(set) var text = ""
  /// The answer to SIZE (RFC 3659 section 4). A claim: what comes may have another length.
  private(set) var size: Int64?
  /// The answer to MDTM (RFC 3659 section 3), in seconds since 1970.
  private(set) var lastModified: Int64?
  /// The server has said that there is no file whose date it could tell.
  private(set) var deniesDate = false
  /// The server has refused REST.
  private(set) var refusesRestart = false
  /// The server has begun the transfer (125 or 150: RFC 959, section 4.2.2), and has called nothing of it broken since.
  private(set) var hasAgreed = false
  /// The command that was sent last, until its reply has come; of a listing, the one after the transfer (RFC 959, section 4.2.1).
  private var command: Command?

  /// What the server was asked, and may leave without an answer.
  var openQuestion: FTPQuestions? {
    switch command {
    case .size: .size
    case .date: .date
    case .listing: .listing
    case .restart, .other, nil: nil
    }
  }

  /// Takes note of a command that was sent.
  mutating func sent(_ line: UnsafeRawBufferPointer) {
    command = Command(line)
  }

  /// Takes a line of the control connection.
  mutating func take(_ line: UnsafeRawBufferPointer) {
    isComplete = false
    // "150-" begins a reply of several lines, "150 " ends it.
    guard line.count >= 4, line[3] == 32, line[..<3].allSatisfy({ $0 &- 48 < 10 }) else { return }
    let code = line[..<3].reduce(0) { $0 * 10 + Int($1 - 48) }
    // The reply to QUIT says nothing of the transfer, and may come before libcurl reports its end.
    guard code != 221 else { return }
    isComplete = true
    self.code = code
    var end = line.count
    while end > 4, line[end - 1] <= 32 { end -= 1 }
    if code == 125 || code == 150 { hasAgreed = true }
    if code >= 400 {
      hasAgreed = false
      text = ResponseHeadParser.string(UnsafeRawBufferPointer(rebasing: line[..<min(end, 512)]))
    }
    let answer = ResponseHeadParser.trimmed(UnsafeRawBufferPointer(rebasing: line[4..<end]))
    switch command.take() {
    case .size: if code == 213 { size = Self.number(answer) }
    case .date:
      if code == 213 { lastModified = Self.time(answer) }
      deniesDate = code == 550
    case .restart: refusesRestart = code != 350
    case .listing: if code < 200 { command = .listing }
    case .other, nil: break
    }
  }

  /// The last reply says where the data connection goes: to PASV (RFC 959 section 4.1.2) or EPSV (RFC 2428 section 3).
  var namesDataConnection: Bool { code == 227 || code == 229 }

  /// - Parameter range: what is transferred of the file; nil for all of it.
  func head(_ range: FTPRange?) -> TransferHead {
    let length = range.map { $0.length(in: size) } ?? size
    var head = TransferHead(ftpReply: code, contentLength: length)
    head.resourceLength = size
    head.lastModified = lastModified
    return head
  }

  private static func number(_ text: UnsafeRawBufferPointer) -> Int64? {
    guard !text.isEmpty, text.count < 19, text.allSatisfy({ $0 &- 48 < 10 }) else { return nil }
    return text.reduce(0) { $0 * 10 + Int64($1 - 48) }
  }

  /// `YYYYMMDDHHMMSS`, and perhaps a fraction, in UTC (RFC 3659 section 2.3).
  private static func time(_ text: UnsafeRawBufferPointer) -> Int64? {
    guard text.count == 14 || (text.count > 14 && text[14] == UInt8(ascii: ".")) else { return nil }
    func part(_ range: Range<Int>) -> Int32? {
      number(UnsafeRawBufferPointer(rebasing: text[range])).map { Int32(truncatingIfNeeded: $0) }
    }
    guard let year = part(0..<4), let month = part(4..<6), let day = part(6..<8), let hour = part(8..<10),
      let minute = part(10..<12), let second = part(12..<14), hour < 24, minute < 60, second <= 60
    else { return nil }
    var time = tm()
    (time.tm_year, time.tm_mon, time.tm_mday) = (year - 1900, month - 1, day)
    (time.tm_hour, time.tm_min) = (hour, minute)
    let start = timegm(&time)
    // A day that there is not becomes another one.
    guard time.tm_mday == day, time.tm_mon == month - 1 else { return nil }
    return Int64(start) + Int64(second)
  }
}
