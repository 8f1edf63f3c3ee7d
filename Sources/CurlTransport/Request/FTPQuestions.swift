/// What an FTP server is asked about a file before a transfer. A server need not know the answers.
package struct FTPQuestions: OptionSet, Sendable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }

  /// SIZE (RFC 3659, section 4).
  package static let size = FTPQuestions(rawValue: 1)
  /// MDTM (RFC 3659, section 3).
  package static let date = FTPQuestions(rawValue: 2)

  package static let all: FTPQuestions = [.size, .date]
}
