/// A line of libcurl's log that tells what becomes of a stream of HTTP/2 or HTTP/3.
enum StreamNews: Equatable {
  /// A request is sent on the stream with this number.
  case opened(UInt32)
  /// The server has refused the request unprocessed (RFC 9113, section 8.7, and RFC 9114, section 4.1.1).
  case refused
  /// The server goes away, and has not looked at streams with larger numbers (RFC 9113, section 6.8).
  case goesAway(last: UInt32)

  /// Nil for any other line.
  init?(_ line: UnsafeRawBufferPointer) {
    // All lines of a transfer come here.
    switch line.first {
    case UInt8(ascii: "U"), UInt8(ascii: "["), UInt8(ascii: "R"), UInt8(ascii: "r"), UInt8(ascii: "H"): break
    default: return nil
    }
    self.init(line: String(decoding: line, as: UTF8.self))
  }

  /// The words differ among libcurl's versions, from 7.81 to 8.23.
  private init?(line: String) {
    if let number = Self.number(in: line, behind: "Using Stream ID: ") ?? Self.number(in: line, behind: "[HTTP/2] [") {
      guard line.hasPrefix("U") || line.contains("] OPENED stream for ") else { return nil }
      self = .opened(number)
    } else if line.hasPrefix("REFUSED_STREAM, retrying")
      || (line.hasPrefix("HTTP/") && line.contains(" refused by server, try again on a new connection"))
    {
      self = .refused
    } else if ["received GOAWAY, ", "recveived GOAWAY, ", "Received GOAWAY, "].contains(where: { line.hasPrefix($0) }),
      let start = line.range(of: "last_stream="),
      let last = Self.number(in: String(line[start.lowerBound...]), behind: "last_stream=")
    {
      self = .goesAway(last: last)
    } else {
      return nil
    }
  }

  private static func number(in line: String, behind prefix: String) -> UInt32? {
    guard line.hasPrefix(prefix) else { return nil }
    return UInt32(line.dropFirst(prefix.count).prefix { $0.isASCII && $0.isNumber })
  }
}
