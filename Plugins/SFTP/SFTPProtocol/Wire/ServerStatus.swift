internal import URLLoadingBase

/// A server's status for a request (draft-ietf-secsh-filexfer-02, section 7).
struct ServerStatus: Error, Hashable, Sendable {
  /// The codes of version 3, and any others that a server sends.
  struct Code: RawRepresentable, Hashable, Sendable {
    let rawValue: UInt32

    static let ok = Code(rawValue: 0)
    static let endOfFile = Code(rawValue: 1)
    static let noSuchFile = Code(rawValue: 2)
    static let permissionDenied = Code(rawValue: 3)
    static let failure = Code(rawValue: 4)
    static let badMessage = Code(rawValue: 5)
    static let noConnection = Code(rawValue: 6)
    static let connectionLost = Code(rawValue: 7)
    static let unsupported = Code(rawValue: 8)
  }

  let code: Code
  /// The server's message: one line without control characters.
  let message: String

  init(_ code: Code, message: String = "") {
    self.code = code
    self.message = message
  }

  init(from reader: inout PacketReader) throws(WireViolation) {
    code = Code(rawValue: try reader.uint32())
    // Required by the draft, but absent in older ones and their servers.
    message = reader.remainingCount > 0 ? Self.line(try reader.string()) : ""
  }

  /// What was wrong, for the middle of a sentence.
  var explanation: String {
    let words =
      switch code {
      case .ok: "success"
      case .endOfFile: "end of file"
      case .noSuchFile: "there is no such file"
      case .permissionDenied: "permissions forbid it"
      case .failure: "the server failed without a reason"
      case .badMessage: "the server did not understand the request"
      case .noConnection, .connectionLost: "the server lost its own connection"
      case .unsupported: "the server does not support this"
      default: "the server answered with status \(code.rawValue)"
      }
    // OpenSSH's messages are only the names of the codes.
    let isNews =
      !message.isEmpty && !["failure", "success", "no such file", "permission denied"].contains(message.lowercased())
    return isNews ? "\(words) (\"\(message)\")" : words
  }

  private static func line(_ bytes: UnsafeRawBufferPointer) -> String {
    ForeignText.line(String(decoding: bytes.prefix(300), as: UTF8.self), substitute: nil)
  }
}
