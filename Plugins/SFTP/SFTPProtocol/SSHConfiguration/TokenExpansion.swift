import Foundation

/// Replaces tokens such as `%h`, `~` and `${NAME}` in values of ssh_config (ssh_config(5), "TOKENS").
struct TokenExpansion: Sendable {
  /// By the letter after the percent sign.
  var tokens: [Character: String]
  var home: String
  var environment: [String: String]

  /// The value with its tokens replaced.
  func expand(_ text: String) throws(Problem) -> String {
    var result = ""
    var rest = text[...]
    while let character = rest.popFirst() {
      guard character == "%" else {
        result.append(character)
        continue
      }
      guard let letter = rest.popFirst() else { throw Problem("it ends in a single percent sign") }
      if letter == "%" {
        result.append("%")
      } else if let value = tokens[letter] {
        result += value
      } else {
        throw Problem("%\(letter) is not supported there")
      }
    }
    return result
  }

  /// A path with its tokens and variables replaced; a leading `~/` is the home directory.
  func expandPath(_ text: String) throws(Problem) -> String {
    try expandHome(try expand(try expandVariables(text)))
  }

  /// A path; a leading `~/` is the home directory.
  func expandHome(_ path: String) throws(Problem) -> String {
    guard path.first == "~" else { return path }
    guard path == "~" || path.hasPrefix("~/") else {
      throw Problem("the home of another user is not supported")
    }
    return home + path.dropFirst()
  }

  private func expandVariables(_ text: String) throws(Problem) -> String {
    var result = ""
    var rest = text[...]
    while let start = rest.range(of: "${") {
      guard let end = rest[start.upperBound...].firstIndex(of: "}") else { throw Problem("${ has no }") }
      let name = String(rest[start.upperBound..<end])
      guard let value = environment[name] else { throw Problem("there is no environment variable \(name)") }
      result += rest[..<start.lowerBound] + value
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }
}
