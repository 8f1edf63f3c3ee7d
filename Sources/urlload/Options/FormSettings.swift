/// The value of a field of a form, and what is set after it: `CONTENT;type=TYPE;filename=NAME`.
struct FormSettings {
  private(set) var content: String
  var type: String?
  var fileName: String?

  /// What curl's `-F` sets; the last two are refused.
  private static let names: Set<String> = ["type", "filename", "headers", "encoder"]

  /// - Parameter allowsOthers: whether what sets nothing belongs to the content, semicolons included.
  init(_ text: Substring, allowsOthers: Bool) throws(Failure) {
    var rest = text
    content = Self.value(&rest)
    // The semicolon.
    while rest.popFirst() != nil {
      let piece = rest.prefix { $0 != ";" }
      let name = String(piece.prefix { $0 != "=" }.drop { $0 == " " })
      guard let mark = piece.firstIndex(of: "="), Self.names.contains(name) else {
        rest = rest[piece.endIndex...]
        if let type {
          // A parameter of the type, as in type=text/plain;charset=utf-8.
          if !piece.isEmpty { self.type = "\(type);\(piece)" }
        } else if allowsOthers {
          content += ";\(piece)"
        }
        continue
      }
      rest = rest[piece.index(after: mark)...].drop { $0 == " " }
      let value = Self.value(&rest)
      switch name {
      case "type": type = value
      case "filename": fileName = value
      default:
        throw Failure(
          .usage, "-F has no ;\(name)=", advice: "leave it out; what has a semicolon itself is in quotes")
      }
    }
  }

  /// What is before the next semicolon, or in quotes.
  private static func value(_ rest: inout Substring) -> String {
    if let value = quotedValue(&rest) { return value }
    let plain = rest.prefix { $0 != ";" }
    rest = rest[plain.endIndex...]
    return String(plain)
  }

  /// What is in quotes, where a backslash stands before a quote or another backslash; nil where no quotes enclose all that is before a
  /// semicolon or the end.
  private static func quotedValue(_ rest: inout Substring) -> String? {
    var tail = rest
    guard tail.popFirst() == "\"" else { return nil }
    var value = ""
    while let character = tail.popFirst() {
      if character == "\"" {
        guard tail.isEmpty || tail.first == ";" else { return nil }
        rest = tail
        return value
      }
      value.append(character == "\\" ? tail.popFirst() ?? character : character)
    }
    return nil
  }
}
