/// The commands that ask an FTP server about a file before it is transferred. Servers need not support them.
package struct FTPQuestions: OptionSet, Sendable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }

  /// SIZE (RFC 3659, section 4).
  package static let size = FTPQuestions(rawValue: 1)
  /// MDTM (RFC 3659, section 3).
  package static let date = FTPQuestions(rawValue: 2)
  /// MLSD or LIST, where a listing is to tell a size.
  package static let listing = FTPQuestions(rawValue: 4)

  /// What a server is asked of a file that it is to send.
  package static let ofFile: FTPQuestions = [.size, .date]
  package static let all: FTPQuestions = [.size, .date, .listing]

  /// What a single one is called.
  var name: String {
    switch self {
    case .size: "SIZE"
    case .date: "MDTM"
    default: "the request for a listing"
    }
  }
}
