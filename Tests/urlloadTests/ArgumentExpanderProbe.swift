@testable import urlload

/// What the rewriting of arguments takes for an option with a value.
enum ArgumentExpanderProbe {
  static func takesValue(_ name: String) -> Bool {
    name.hasPrefix("--")
      ? ArgumentExpander.valuedWords.contains(String(name.dropFirst(2)))
      : name.dropFirst().first.map { ArgumentExpander.valued.contains($0) } ?? false
  }
}
