/// What came of running all checks.
public struct ConformanceReport: Sendable, CustomStringConvertible {
  /// The names of the checks that the class passed.
  public internal(set) var passed: [String] = []

  /// What the class got wrong, or the fixture threw, by the names of the checks.
  public internal(set) var failures: [(check: String, error: any Error)] = []

  /// The names of the checks that were not made: the class does not declare the capability, or the fixture lacks the ability.
  public internal(set) var leftOut: [String] = []

  /// Whether every check that was made was passed.
  public var isConforming: Bool { failures.isEmpty }

  /// A line for each check that failed or was left out, and a sum.
  public var description: String {
    let lines =
      failures.map { "failed: \($0.error)" } + leftOut.map { "left out: \($0)" }
      + ["\(passed.count) passed, \(failures.count) failed, \(leftOut.count) left out"]
    return lines.joined(separator: "\n")
  }
}
