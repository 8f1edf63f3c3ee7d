/// What is between brackets in a pattern (POSIX XBD, section 9.3.5): characters, ranges by their numbers, and classes of ASCII.
struct CharacterSetPattern: Sendable {
  private var ranges: [ClosedRange<UInt32>] = []
  private var classes: [@Sendable (Unicode.Scalar) -> Bool] = []
  private var isNegated = false

  /// Takes the characters up to the bracket that closes.
  /// - Parameter rest: what follows the bracket that opens; untouched where none closes it.
  init?(_ rest: inout Substring.UnicodeScalarView) {
    var text = rest
    if let first = text.first, first == "!" || first == "^" {
      isNegated = true
      text.removeFirst()
    }
    var isFirst = true
    while let next = text.popFirst() {
      if next == "]", !isFirst {
        rest = text
        return
      }
      isFirst = false
      if next == "[", text.first == ":", let known = Self.takeClass(&text) {
        classes.append(known)
        continue
      }
      guard let lower = next == "\\" ? text.popFirst() : next else { return nil }
      var after = text
      guard after.popFirst() == "-", let last = after.popFirst(), last != "]" else {
        ranges.append(lower.value...lower.value)
        continue
      }
      guard let upper = last == "\\" ? after.popFirst() : last else { return nil }
      text = after
      // A range whose end comes first has nothing in it.
      if lower.value <= upper.value { ranges.append(lower.value...upper.value) }
    }
    return nil
  }

  private static func takeClass(
    _ text: inout Substring.UnicodeScalarView
  ) -> (@Sendable (Unicode.Scalar) -> Bool)? {
    for (name, contains) in named {
      let whole = ":\(name):]".unicodeScalars
      guard text.starts(with: whole) else { continue }
      text.removeFirst(whole.count)
      return contains
    }
    return nil
  }

  private static let named: [(String, @Sendable (Unicode.Scalar) -> Bool)] = [
    ("alpha", { $0.isASCII && $0.properties.isAlphabetic }), ("digit", { ("0"..."9").contains($0) }),
    ("alnum", { $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0)) }),
    ("upper", { ("A"..."Z").contains($0) }), ("lower", { ("a"..."z").contains($0) }),
    ("space", { $0 == " " || (0x09...0x0D).contains($0.value) }), ("blank", { $0 == " " || $0 == "\t" }),
    (
      "punct",
      { $0.isASCII && $0.value > 0x20 && $0.value < 0x7F && !$0.properties.isAlphabetic && !("0"..."9").contains($0) }
    ),
    ("cntrl", { $0.value < 0x20 || $0.value == 0x7F }), ("graph", { (0x21..<0x7F).contains($0.value) }),
    ("print", { (0x20..<0x7F).contains($0.value) }), ("xdigit", { $0.isASCII && $0.properties.isHexDigit }),
  ]

  func contains(_ character: Unicode.Scalar) -> Bool {
    let isThere = ranges.contains { $0.contains(character.value) } || classes.contains { $0(character) }
    return isThere != isNegated
  }
}
