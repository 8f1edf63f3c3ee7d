/// The value of a field of a form, and what is set behind it: `CONTENT;type=TYPE;filename=NAME`.
struct FormSettings {
  private(set) var content: String
  var type: String?
  var fileName: String?

  /// - Parameter allowsOthers: whether what sets nothing belongs to the content, semicolons included.
  init(_ text: Substring, allowsOthers: Bool) {
    var rest = text
    content = Self.piece(&rest)
    while rest.popFirst() != nil {
      let piece = Self.piece(&rest)
      let setting = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let word = setting.count == 2 ? Self.unquoted(setting[1].drop { $0 == " " }) : nil
      switch setting.first?.drop(while: { $0 == " " }) {
      case "type" where word != nil: type = word
      case "filename" where word != nil: fileName = word
      default:
        if allowsOthers {
          content += ";" + piece
        } else if let type, !piece.isEmpty {
          // A parameter of the type, as in type=text/plain;charset=utf-8.
          self.type = "\(type);\(piece)"
        }
      }
    }
    content = Self.unquoted(content[...])
  }

  /// The text up to the next semicolon that is not in quotes.
  private static func piece(_ rest: inout Substring) -> String {
    var isQuoted = false
    var isEscaped = false
    let piece = rest.prefix { character in
      if isEscaped {
        isEscaped = false
      } else if character == "\\" {
        isEscaped = isQuoted
      } else if character == "\"" {
        isQuoted.toggle()
      }
      return character != ";" || isQuoted
    }
    rest = rest[piece.endIndex...]
    return String(piece)
  }

  /// Without quotes around it; in these a backslash stands before a quote or another backslash.
  private static func unquoted(_ text: Substring) -> String {
    guard text.count > 1, text.first == "\"", text.last == "\"" else { return String(text) }
    var result = ""
    var rest = text.dropFirst().dropLast()
    while let character = rest.popFirst() {
      result.append(character == "\\" ? rest.popFirst() ?? character : character)
    }
    return result
  }
}
