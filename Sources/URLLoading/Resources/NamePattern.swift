/// A pattern of one name, as POSIX sh has it (XCU, section 2.14): `*`, `?`, `[a-z]`, `[!a-z]`, `[[:digit:]]`, and a backslash in front of what
/// stands for itself. A dot at the beginning of a name has to be there in the pattern.
struct NamePattern: Sendable {
  private enum Element {
    case anyCharacters
    case anyCharacter
    case character(Unicode.Scalar)
    case set(CharacterSetPattern)
  }

  private var elements: [Element] = []

  init(_ text: Substring) {
    var rest = text.unicodeScalars
    while let next = rest.popFirst() {
      switch next {
      case "*": elements.append(.anyCharacters)
      case "?": elements.append(.anyCharacter)
      case "[":
        if let set = CharacterSetPattern(&rest) { elements.append(.set(set)) } else { elements.append(.character("[")) }
      case "\\": elements.append(.character(rest.popFirst() ?? "\\"))
      default: elements.append(.character(next))
      }
    }
  }

  /// Whether names with a dot in front can match.
  private var namesHidden: Bool {
    if case .character(".") = elements.first { true } else { false }
  }

  /// Takes time proportional to the product of both lengths at most.
  func matches(_ name: String) -> Bool {
    let name = Array(name.unicodeScalars)
    guard name.first != "." || namesHidden else { return false }
    var (position, index) = (0, 0)
    /// Where to try next after a mismatch that follows the last `*`: one character later.
    var retry: (position: Int, index: Int)?
    while index < name.count {
      if position < elements.count, case .anyCharacters = elements[position] {
        position += 1
        retry = (position, index)
      } else if position < elements.count, Self.matches(elements[position], name[index]) {
        position += 1
        index += 1
      } else if let last = retry {
        (position, index) = (last.position, last.index + 1)
        retry = (position, index)
      } else {
        return false
      }
    }
    return elements[position...].allSatisfy { if case .anyCharacters = $0 { true } else { false } }
  }

  private static func matches(_ element: Element, _ character: Unicode.Scalar) -> Bool {
    switch element {
    case .anyCharacters: false
    case .anyCharacter: true
    case .character(let own): own == character
    case .set(let set): set.contains(character)
    }
  }
}
