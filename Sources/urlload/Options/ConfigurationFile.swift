import Foundation
internal import URLLoadingBase

/// A file of options, a line each, as curl reads them: `option value`, `option = value` or `-o value`; a value with spaces is in quotes.
enum ConfigurationFile {
  /// The user's file: `urlload` in `$XDG_CONFIG_HOME`, or in `~/.config`; where that is a folder, `config` in it. Nil where there is none.
  static func ofUser() -> String? {
    let folder =
      ProcessEnvironment.value(of: "XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? "\(LocalInput.home())/.config"
    return ["\(folder)/urlload/config", "\(folder)/urlload"].first { path in
      var status = stat()
      return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
  }

  /// The arguments that a file stands for.
  static func arguments(in path: String) throws(Failure) -> [String] {
    var result: [String] = []
    for (index, line) in try LocalInput.lines(of: path).enumerated() {
      let text = line.trimmingCharacters(in: .whitespaces)
      guard !text.isEmpty, !text.hasPrefix("#") else { continue }
      guard let arguments = arguments(ofLine: text) else {
        throw Failure(
          .usage, "line \(index + 1) of \(path) cannot be read", advice: "write OPTION VALUE, the value in quotes")
      }
      result += arguments
    }
    return result
  }

  /// Nil for a line whose quotes do not end.
  static func arguments(ofLine line: String) -> [String]? {
    let end = line.firstIndex { $0.isWhitespace || $0 == "=" || $0 == ":" } ?? line.endIndex
    let name = line[..<end]
    var rest = line[end...].drop { $0.isWhitespace }
    if rest.first == "=" || rest.first == ":" { rest = rest.dropFirst().drop { $0.isWhitespace } }
    let option = name.hasPrefix("-") ? String(name) : "--\(name)"
    guard !rest.isEmpty else { return [option] }
    guard let value = value(rest) else { return nil }
    return option.hasPrefix("--") ? ["\(option)=\(value)"] : [option, value]
  }

  /// In quotes `\t`, `\n`, `\r`, `\v`, `\"` and `\\` stand for a character.
  private static func value(_ text: Substring) -> String? {
    guard text.first == "\"" else { return String(text.prefix { !$0.isWhitespace }) }
    var result = ""
    var rest = text.dropFirst()
    while let character = rest.popFirst() {
      switch character {
      case "\"": return result
      case "\\":
        guard let escaped = rest.popFirst() else { return nil }
        result.append(["t": "\t", "n": "\n", "r": "\r", "v": "\u{0B}"][escaped] ?? escaped)
      default: result.append(character)
      }
    }
    return nil
  }
}
