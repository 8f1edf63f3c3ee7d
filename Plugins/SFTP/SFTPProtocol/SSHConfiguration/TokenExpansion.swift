import Foundation

/// What stands for something else in the values of ssh_config (ssh_config(5), "TOKENS"): `%h` and the like, `~`, `${NAME}`.
struct TokenExpansion: Sendable {
  /// Why a value cannot be used.
  struct Failure: Error, Hashable {
    let reason: String
  }

  /// By the letter after the percent sign.
  var tokens: [Character: String]
  var home: String
  var environment: [String: String]

  /// The value with its tokens replaced.
  func expand(_ text: String) throws(Failure) -> String {
    var result = ""
    var rest = text[...]
    while let character = rest.popFirst() {
      guard character == "%" else {
        result.append(character)
        continue
      }
      guard let letter = rest.popFirst() else { throw Failure(reason: "it ends in a single percent sign") }
      if letter == "%" {
        result.append("%")
      } else if let value = tokens[letter] {
        result += value
      } else {
        throw Failure(reason: "%\(letter) is not supported there")
      }
    }
    return result
  }

  /// A path with its tokens and variables replaced; a leading `~/` is the home directory.
  func expandPath(_ text: String) throws(Failure) -> String {
    try expandHome(try expand(try expandVariables(text)))
  }

  /// A path; a leading `~/` is the home directory.
  func expandHome(_ path: String) throws(Failure) -> String {
    guard path.first == "~" else { return path }
    guard path == "~" || path.hasPrefix("~/") else {
      throw Failure(reason: "the home of another user is not supported")
    }
    return home + path.dropFirst()
  }

  private func expandVariables(_ text: String) throws(Failure) -> String {
    var result = ""
    var rest = text[...]
    while let start = rest.range(of: "${") {
      guard let end = rest[start.upperBound...].firstIndex(of: "}") else { throw Failure(reason: "${ has no }") }
      let name = String(rest[start.upperBound..<end])
      guard let value = environment[name] else { throw Failure(reason: "there is no environment variable \(name)") }
      result += rest[..<start.lowerBound] + value
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }
}
