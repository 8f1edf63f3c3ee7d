/// Several URLs written as one, as curl reads them: `{a,b}` for each of these, `[1-9]`, `[001-100]`, `[a-z]` and `[0-100:10]` for ranges.
enum URLGlob {
  /// A URL, and what stands in it for each set.
  struct Member: Equatable {
    var text: String
    var values: [String] = []
  }

  /// More would be a mistake.
  static let largestCount = 100_000

  /// All URLs that a pattern stands for, in order. Brackets that are no range, such as those of an IPv6 address, stand for themselves, and
  /// so does what follows a backslash.
  static func members(of pattern: String) throws(Failure) -> [Member] {
    var members = [Member(text: "")]
    var rest = pattern[...]
    while let character = rest.popFirst() {
      var values: [String]?
      switch character {
      case "\\":
        if let next = rest.first, "{}[]".contains(next) {
          rest.removeFirst(); append(String(next), to: &members); continue
        }
      case "{": values = alternatives(&rest)
      case "[": values = try range(&rest)
      default: break
      }
      guard let values else {
        append(String(character), to: &members)
        continue
      }
      guard members.count * values.count <= largestCount else {
        throw Failure(
          .usage, "a pattern stands for more than \(largestCount) URLs", SafeText.url(pattern),
          advice: "write smaller ranges, or -g if it is no pattern")
      }
      members = members.flatMap { member in
        values.map { Member(text: member.text + $0, values: member.values + [$0]) }
      }
    }
    return members
  }

  private static func append(_ text: String, to members: inout [Member]) {
    for index in members.indices { members[index].text += text }
  }

  /// What is between braces; nil, and nothing taken, where they do not end.
  private static func alternatives(_ rest: inout Substring) -> [String]? {
    guard let end = rest.firstIndex(of: "}"), !rest[..<end].contains("{") else { return nil }
    let values = rest[..<end].split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
    rest = rest[rest.index(after: end)...]
    return values
  }

  /// What a range between brackets stands for; nil, and nothing taken, where it is not one.
  private static func range(_ rest: inout Substring) throws(Failure) -> [String]? {
    guard let end = rest.firstIndex(of: "]") else { return nil }
    let parts = rest[..<end].split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count <= 2, let step = parts.count == 2 ? Int(parts[1]) : 1, step > 0,
      let bounds = parts.first?.split(separator: "-", omittingEmptySubsequences: false), bounds.count == 2
    else { return nil }
    var values = try numbers(bounds[0], bounds[1], step)
    if values == nil { values = try letters(bounds[0], bounds[1], step) }
    guard let values else { return nil }
    rest = rest[rest.index(after: end)...]
    return values
  }

  /// Zeros before the first number keep the length.
  private static func numbers(_ first: Substring, _ last: Substring, _ step: Int) throws(Failure) -> [String]? {
    guard !first.isEmpty, !last.isEmpty, first.allSatisfy(\.isASCIIDigit), last.allSatisfy(\.isASCIIDigit) else {
      return nil
    }
    guard let low = Int(first), let high = Int(last), low <= high, (high - low) / step < largestCount else {
      throw Failure(
        .usage, "the range [\(first)-\(last)] stands for no URLs, or for more than \(largestCount)",
        advice: "write the smaller number first, or -g if it is no pattern")
    }
    let width = first.hasPrefix("0") ? first.count : 0
    return stride(from: low, through: high, by: step).map { number in
      let text = String(number)
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
  }

  private static func letters(_ first: Substring, _ last: Substring, _ step: Int) throws(Failure) -> [String]? {
    guard first.count == 1, last.count == 1, let low = first.first?.asciiValue, let high = last.first?.asciiValue,
      first.first?.isLetter == true, last.first?.isLetter == true,
      first.first?.isLowercase == last.first?.isLowercase
    else { return nil }
    guard low <= high else {
      throw Failure(
        .usage, "the range [\(first)-\(last)] stands for no URLs",
        advice: "write the first letter of the alphabet first, or -g if it is no pattern")
    }
    return stride(from: Int(low), through: Int(high), by: step).compactMap { UInt8(exactly: $0) }
      .map { String(UnicodeScalar($0)) }
  }

  /// The name of a file in which `#1`, `#2` … stand for the values of the sets.
  static func name(_ pattern: String, _ values: [String]) -> String {
    var result = ""
    var rest = pattern[...]
    while let character = rest.popFirst() {
      let digits = rest.prefix(while: \.isASCIIDigit)
      guard character == "#", let number = Int(digits), values.indices.contains(number - 1) else {
        result.append(character)
        continue
      }
      // A value must not lead elsewhere.
      result += values[number - 1].map { $0 == "/" ? "_" : String($0) }.joined()
      rest = rest.dropFirst(digits.count)
    }
    return result
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
