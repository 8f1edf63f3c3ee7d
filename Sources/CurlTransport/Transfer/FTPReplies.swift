/// What an FTP server's replies (RFC 959 section 4.2) tell that libcurl does not.
struct FTPReplies {
  /// The code of the last complete reply.
  private(set) var code = 0
  /// The line of the last reply that refused something.
  private(set) var text = ""
  /// The answer to SIZE (RFC 3659 section 4).
  private(set) var size: Int64?

  /// Takes a line of the control connection.
  ///
  /// - Parameter hasDate: Whether libcurl knows the file's date. The replies to MDTM and SIZE have the same code; the
  ///   one with a date comes first.
  mutating func take(_ line: UnsafeRawBufferPointer, hasDate: Bool) {
    // "150-" begins a reply of several lines, "150 " ends it.
    guard line.count >= 4, line[3] == 32, line[..<3].allSatisfy({ $0 &- 48 < 10 }) else { return }
    let code = line[..<3].reduce(0) { $0 * 10 + Int($1 - 48) }
    // The answer to QUIT, which says nothing of the transfer, may come before libcurl tells of its end.
    guard code != 221 else { return }
    self.code = code
    var end = line.count
    while end > 4, line[end - 1] <= 32 { end -= 1 }
    let rest = UnsafeRawBufferPointer(rebasing: line[4..<end])
    if code >= 400 {
      text = ResponseHeadParser.string(UnsafeRawBufferPointer(rebasing: line[..<min(end, 512)]))
    } else if code == 213, !rest.isEmpty, rest.count < 19, rest.allSatisfy({ $0 &- 48 < 10 }) {
      if rest.count != 14 || hasDate { size = rest.reduce(0) { $0 * 10 + Int64($1 - 48) } }
    }
  }

  /// The last reply says where the data connection goes: to PASV (RFC 959 section 4.1.2) or EPSV (RFC 2428 section 3).
  var namesDataConnection: Bool { code == 227 || code == 229 }

  func head(contentLength: Int64?, lastModified: Int64?) -> TransferHead {
    var head = TransferHead(statusCode: code, httpVersion: "FTP", contentLength: contentLength)
    head.resourceLength = size
    head.lastModified = lastModified
    return head
  }
}
