/// The condition of a `Match` line (ssh_config(5)).
enum MatchCondition {
  /// Whether a block applies; throws for a condition that cannot be decided, whose block must not apply.
  /// - Parameter subjects: what the patterns of a criterion, such as `host`, are compared with, by the lines read so far.
  static func holds(_ arguments: [String], _ subjects: [String: String]) throws(Problem) -> Bool {
    guard !arguments.isEmpty else { throw Problem("Match has no condition") }
    var result = true
    var rest = arguments[...]
    while let word = rest.popFirst() {
      let isNegated = word.hasPrefix("!")
      // Later releases of OpenSSH also take `host=name`.
      let parts = word.dropFirst(isNegated ? 1 : 0).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = parts.first?.lowercased() ?? ""
      if name == "all" {
        let others = arguments.dropLast().map { $0.lowercased() }
        guard [[], ["canonical"], ["!canonical"]].contains(others), !isNegated else {
          throw Problem("\"all\" has to stand alone")
        }
        continue
      }
      // CanonicalizeHostname is not supported.
      if name == "canonical" {
        result = result && isNegated
        continue
      }
      guard let subject = subjects[name] else {
        guard result else { return false }
        throw Problem("Match \(name) is not supported, so its block was left out")
      }
      let inline = parts.count == 2 ? String(parts[1]) : nil
      guard let patterns = inline ?? rest.popFirst() else { throw Problem("Match \(name) has no pattern") }
      let list = PatternList(patterns.utf8.split(separator: UInt8(ascii: ",")), ignoringCase: name.hasSuffix("host"))
      let holds = list.matches(Array(subject.utf8))
      result = result && holds != isNegated
    }
    return result
  }
}
