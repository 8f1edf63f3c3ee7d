/// OpenSSH's patterns (ssh_config(5), "PATTERNS"): `*` stands for any characters, `?` for one.
struct WildcardPattern: Hashable, Sendable {
  private let pattern: [UInt8]
  private let ignoresCase: Bool

  init(_ pattern: some Sequence<UInt8>, ignoringCase: Bool = true) {
    self.pattern = ignoringCase ? pattern.map(\.asciiLowercased) : Array(pattern)
    ignoresCase = ignoringCase
  }

  /// Takes time proportional to the product of both lengths at most.
  func matches(_ text: [UInt8]) -> Bool {
    var position = 0
    var index = 0
    /// Where to try next after a mismatch that follows the last `*`: one character later.
    var retry: (position: Int, index: Int)?
    while index < text.count {
      if position < pattern.count, pattern[position] == UInt8(ascii: "*") {
        position += 1
        retry = (position, index)
      } else if position < pattern.count,
        pattern[position] == UInt8(ascii: "?")
          || pattern[position] == (ignoresCase ? text[index].asciiLowercased : text[index])
      {
        position += 1
        index += 1
      } else if let last = retry {
        position = last.position
        index = last.index + 1
        retry = (position, index)
      } else {
        return false
      }
    }
    return pattern[position...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}

/// A list of patterns: one has to match, and none of those after a `!`.
struct PatternList: Hashable, Sendable {
  private var patterns: [WildcardPattern] = []
  private var excluded: [WildcardPattern] = []

  /// - Parameter texts: the patterns as they are written. Empty ones are ignored.
  init(_ texts: some Sequence<some Collection<UInt8>>, ignoringCase: Bool = true) {
    for text in texts where !text.isEmpty {
      if text.first == UInt8(ascii: "!") {
        excluded.append(WildcardPattern(text.dropFirst(), ignoringCase: ignoringCase))
      } else {
        patterns.append(WildcardPattern(text, ignoringCase: ignoringCase))
      }
    }
  }

  func matches(_ text: [UInt8]) -> Bool {
    patterns.contains { $0.matches(text) } && !excluded.contains { $0.matches(text) }
  }
}

extension UInt8 {
  /// The small letter of an ASCII capital; else the same.
  var asciiLowercased: UInt8 { (0x41...0x5A).contains(self) ? self + 0x20 : self }
}
