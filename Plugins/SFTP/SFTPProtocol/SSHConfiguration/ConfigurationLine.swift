/// One line of an ssh_config file: a keyword and its arguments (ssh_config(5)).
struct ConfigurationLine: Hashable, Sendable {
  /// In small letters.
  let keyword: String
  let arguments: [String]

  /// Reads a line without its end.
  /// - Returns: nil for an empty line or a comment.
  static func read(_ bytes: ArraySlice<UInt8>) throws(Problem) -> ConfigurationLine? {
    guard !bytes.contains(0) else { throw Problem("it contains a NUL byte") }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw Problem("it is not UTF-8") }
    var rest = Substring(text).drop(while: \.isConfigurationSpace)
    while let last = rest.unicodeScalars.last, Character(last).isConfigurationSpace { rest.unicodeScalars.removeLast() }
    guard let first = rest.first, first != "#" else { return nil }
    let keyword = rest.prefix { !$0.isConfigurationSpace && $0 != "=" && $0 != "\"" }
    guard !keyword.isEmpty else { throw Problem("it begins with no keyword") }
    rest = rest.dropFirst(keyword.count).drop(while: \.isConfigurationSpace)
    // Between keyword and argument there may be one equals sign.
    if rest.first == "=" { rest = rest.dropFirst() }
    return ConfigurationLine(keyword: keyword.lowercased(), arguments: try split(rest))
  }

  /// Splits arguments at spaces, except within quotes and after a backslash.
  private static func split(_ text: Substring) throws(Problem) -> [String] {
    var arguments: [String] = []
    var rest = text.drop(while: \.isConfigurationSpace)
    while let first = rest.first, first != "#" {
      var argument = ""
      var quote: Character?
      while let character = rest.first, quote != nil || !character.isConfigurationSpace {
        rest = rest.dropFirst()
        if character == "\\", let next = rest.first,
          next == "\\" || next == "\"" || next == "'" || (quote == nil && next == " ")
        {
          argument.append(next)
          rest = rest.dropFirst()
        } else if let open = quote, character == open {
          quote = nil
        } else if quote == nil, character == "\"" || character == "'" {
          quote = character
        } else {
          argument.append(character)
        }
      }
      guard quote == nil else { throw Problem("a quotation mark has no second one") }
      arguments.append(argument)
      rest = rest.drop(while: \.isConfigurationSpace)
    }
    return arguments
  }
}

extension Character {
  /// Spaces and line ends, those of Windows included.
  fileprivate var isConfigurationSpace: Bool {
    self == " " || self == "\t" || self == "\r" || self == "\u{0C}" || self == "\r\n" || self == "\n"
  }
}
