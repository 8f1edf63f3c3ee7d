/// What an FTP server replies to a command (RFC 959, section 4.2).
struct FTPReply: Sendable, Equatable {
  let code: Int
  /// The line that ends it, with the code.
  let text: String
  /// What it says, in lower case, beside names.
  private var words: String

  init(code: Int, text: String) {
    self.code = code
    self.text = text
    words = text.lowercased()
  }

  /// The command was carried out.
  var isSuccess: Bool { (200..<300).contains(code) }

  /// The command was not carried out, and will not be.
  var isRefusal: Bool { (500..<600).contains(code) }

  /// The server wants a login, or another one, first.
  var wantsLogin: Bool { code == 530 || code == 331 || code == 332 }

  /// The server does not know the command, or its form.
  var isOfUnknownCommand: Bool { [500, 501, 502, 504].contains(code) }

  /// Nothing of the name is there, or it may not be had: servers have one code for both.
  var isUnavailable: Bool { code == 550 }

  /// Its words say that nothing is there.
  var saysMissing: Bool { Self.missing.contains { words.contains($0) } }

  /// Its words say that something is not allowed.
  var saysForbidden: Bool { Self.forbidden.contains { words.contains($0) } }

  /// Its words say that something on the way is a file.
  var saysNoDirectory: Bool { words.contains(Self.noDirectory) }

  private static let missing = ["no such", "not found", "cannot find", "does not exist", "doesn't exist"]
  private static let forbidden = ["permission", "privilege", "denied", "not allowed", "forbidden"]
  private static let noDirectory = "not a directory"

  /// Servers repeat the names of commands, which may be such words.
  mutating func leaveOut(_ name: [UInt8]) {
    let name = String(decoding: name, as: UTF8.self).lowercased()
    guard (Self.missing + Self.forbidden + [Self.noDirectory]).contains(where: { name.contains($0) }) else { return }
    words = words.replacing(name, with: "")
  }
}
