internal import URLLoadingHTTPSemantics

/// A MIME type, parsed by the WHATWG MIME Sniffing Standard, section 4.4.
struct MIMEType: Sendable {
  /// Type and subtype in lower case: `text/html`.
  let essence: String
  /// The parameters in their order, names in lower case and unique.
  private(set) var parameters: [(name: String, value: String)] = []

  /// The value of the `charset` parameter.
  var charset: String? { self["charset"] }

  /// The value of a parameter; `name` is in lower case.
  subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

  /// `text/plain;charset=US-ASCII`, the type of a `data:` URL that states none (RFC 2397 section 2).
  static let dataURLDefault = MIMEType(essence: "text/plain", parameters: [(name: "charset", value: "US-ASCII")])

  private init(essence: String, parameters: [(name: String, value: String)]) {
    self.essence = essence
    self.parameters = parameters
  }

  /// Parses the UTF-8 bytes of a MIME type.
  ///
  /// - Returns: nil when type or subtype is missing or no token; wrong parameters are dropped.
  init?(parsing bytes: [UInt8]) {
    var scanner = FieldScanner(bytes)
    scanner.skipWhitespace()
    guard let type = scanner.token(), scanner.skip("/"), let subtype = scanner.token() else { return nil }
    essence = "\(type)/\(subtype)".lowercased()
    scanner.skipWhitespace()
    while scanner.skip(";") {
      guard let parameter = Self.parameter(&scanner), self[parameter.name] == nil else { continue }
      parameters.append(parameter)
    }
    guard scanner.isAtEnd else { return nil }
  }

  /// One parameter, up to the next semicolon; nil when it is not valid.
  private static func parameter(_ scanner: inout FieldScanner) -> (name: String, value: String)? {
    scanner.skipWhitespace()
    let name = scanner.take { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "=") } ?? ""
    guard scanner.skip("=") else { return nil }
    let quoted = scanner.quotedString()
    var unquoted = Substring(scanner.take { $0 != UInt8(ascii: ";") } ?? "").utf8
    while unquoted.last?.isHTTPWhitespace == true { unquoted.removeLast() }
    guard let value = quoted ?? (unquoted.isEmpty ? nil : String(Substring(unquoted))), !name.isEmpty,
      name.utf8.allSatisfy(\.isTokenCharacter), value.utf8.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) })
    else { return nil }
    return (name.lowercased(), value)
  }
}
