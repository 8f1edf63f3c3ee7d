/// The challenges in the `WWW-Authenticate` or `Proxy-Authenticate` fields of a response, RFC 9110 11.6.1.
package struct AuthenticateHeader {
  package struct Challenge {
    /// The scheme in lower case: `basic`, `digest`.
    package let scheme: String
    /// Parameters in their order, names in lower case. The first of equal names counts.
    var parameters: [(name: String, value: String)] = []
    /// What some schemes (Negotiate, NTLM) have in place of parameters.
    var token68: String?

    /// The value of a parameter, whose name is given in lower case.
    package subscript(name: String) -> String? {
      parameters.first { $0.name == name }?.value
    }

    /// The name of the protection space.
    package var realm: String? { self["realm"] }
  }

  /// All challenges, in the order in which the server prefers them.
  package let challenges: [Challenge]

  /// Reads one or several fields with one or several challenges each. What cannot be read is passed over, up to
  /// the next comma.
  package init(fieldValues: [String]) {
    challenges = fieldValues.flatMap(Self.parse)
  }

  private static func parse(_ value: String) -> [Challenge] {
    var scanner = FieldScanner(value)
    var challenges: [Challenge] = []
    while !scanner.isAtEnd {
      scanner.skipWhitespace()
      while scanner.skip(",") { scanner.skipWhitespace() }
      guard !scanner.isAtEnd else { break }
      let start = scanner.position
      // "name =" continues the last challenge; a token without "=" after it begins a new one. A comma alone
      // does not tell, since it separates both.
      if !challenges.isEmpty, let parameter = parameter(&scanner) {
        challenges[challenges.count - 1].parameters.append(parameter)
        continue
      }
      scanner.position = start
      guard let scheme = scanner.token() else {
        _ = scanner.text(upTo: ",")
        continue
      }
      var challenge = Challenge(scheme: scheme.lowercased())
      scanner.skipWhitespace()
      let content = scanner.position
      if let first = parameter(&scanner) {
        challenge.parameters.append(first)
      } else {
        scanner.position = content
        challenge.token68 = token68(&scanner)
      }
      challenges.append(challenge)
    }
    return challenges
  }

  /// `name = token` or `name = "string"`. Nil for a token68 such as `abc==`, which begins in the same way.
  private static func parameter(_ scanner: inout FieldScanner) -> (name: String, value: String)? {
    guard let name = scanner.token() else { return nil }
    scanner.skipWhitespace()
    guard scanner.skip("=") else { return nil }
    scanner.skipWhitespace()
    if scanner.peek == UInt8(ascii: "\"") {
      return (name.lowercased(), scanner.quotedString() ?? "")
    }
    guard let first = scanner.peek, first != UInt8(ascii: "="), first != UInt8(ascii: ",") else { return nil }
    return (name.lowercased(), scanner.text(upTo: ","))
  }

  private static func token68(_ scanner: inout FieldScanner) -> String? {
    let start = scanner.position
    if let token = scanner.token68() {
      scanner.skipWhitespace()
      if scanner.isAtEnd || scanner.peek == UInt8(ascii: ",") { return token }
    }
    scanner.position = start
    return nil
  }
}
