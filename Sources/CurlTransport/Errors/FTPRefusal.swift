import Foundation

/// Why a change was not made on an FTP server.
package struct FTPRefusal: Sendable, Equatable {
  package let code: URLError.Code
  /// With the server's reply, if that is why.
  package let words: String
  /// The code of the reply (RFC 959, section 4.2); 0 for none.
  package let replyCode: Int

  init(_ code: URLError.Code, _ words: String, _ reply: FTPReply? = nil) {
    self.code = code
    self.words = reply.map { "\(words) (\($0.text))" } ?? words
    replyCode = reply?.code ?? 0
  }

  /// libcurl has ended the transfer before the last command.
  static let unfinished = FTPRefusal(.unknown, "libcurl did not send all commands")
}
