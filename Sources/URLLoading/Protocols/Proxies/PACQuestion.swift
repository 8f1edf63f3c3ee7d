/// The part of a URL that a script gets.
///
/// A script gets no user, password and fragment, and no path and query of a URL that TLS protects: a script that was loaded over plain HTTP
/// may be an attacker's.
struct PACQuestion: Sendable, Equatable {
  let url: String
  let host: String

  /// Nil for a URL without a host.
  init?(_ url: URL) {
    guard let scheme = url.scheme?.lowercased(), let host = url.host(percentEncoded: true), !host.isEmpty else {
      return nil
    }
    let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    let authority = (bare.contains(":") ? "[\(bare)]" : bare) + (url.port.map { ":\($0)" } ?? "")
    var text = "\(scheme)://\(authority)"
    if scheme == "http" {
      let path = url.path(percentEncoded: true)
      text += path.isEmpty ? "/" : path
      if let query = url.query(percentEncoded: true) { text += "?\(query)" }
    } else {
      text += "/"
    }
    // libpacparser puts both between quotes into a program; spaces and controls would end the line.
    self.url = Self.escaped(text)
    self.host = Self.escaped(bare)
  }

  private static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: needsEscape) else { return text }
    var result = ""
    for byte in text.utf8 {
      if needsEscape(byte) {
        let digits = String(byte, radix: 16, uppercase: true)
        result += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      } else {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    return result
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte <= UInt8(ascii: " ") || byte >= 0x7f || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\\")
      || byte == UInt8(ascii: "\"")
  }
}
