import Foundation
import Testing

/// Every case of the suite is in AUTOBAHN.md once, with the test that shows it; and no other.
@Suite(.timeLimit(.minutes(4))) struct AutobahnListTests {
  /// How many cases each section has (autobahntestsuite 25.10.1).
  private static let counts: [(section: String, count: Int)] =
    [
      ("1.1", 8), ("1.2", 8), ("2", 11), ("3", 7), ("4.1", 5), ("4.2", 5), ("5", 20),
      ("6.1", 3), ("6.2", 4), ("6.3", 2), ("6.4", 4), ("6.5", 5), ("6.6", 11), ("6.7", 4), ("6.8", 2), ("6.9", 4),
      ("6.10", 3), ("6.11", 5), ("6.12", 8), ("6.13", 5), ("6.14", 10), ("6.15", 1), ("6.16", 3), ("6.17", 5),
      ("6.18", 5), ("6.19", 5), ("6.20", 7), ("6.21", 8), ("6.22", 34), ("6.23", 7),
      ("7.1", 6), ("7.3", 6), ("7.5", 1), ("7.7", 13), ("7.9", 9), ("7.13", 2),
      ("9.1", 6), ("9.2", 6), ("9.3", 9), ("9.4", 9), ("9.5", 6), ("9.6", 6), ("9.7", 6), ("9.8", 6), ("10.1", 1),
    ] + compressed

  /// Each of sections 12 and 13 has the same sizes.
  private static let compressed: [(section: String, count: Int)] =
    ["12.1", "12.2", "12.3", "12.4", "12.5", "13.1", "13.2", "13.3", "13.4", "13.5", "13.6", "13.7"].map { ($0, 18) }

  private static let numbers: [String] = counts.flatMap { section, count in (1...count).map { "\(section).\($0)" } }

  /// The numbers that each test plays.
  private static let tests: [String: [String]] = [
    "AutobahnFramingTests": AutobahnFramingTests.cases.map(\.number),
    "AutobahnControlTests": AutobahnControlTests.cases.map(\.number),
    "AutobahnReservedTests": AutobahnReservedTests.cases.map(\.number),
    "AutobahnFragmentTests": AutobahnFragmentTests.cases.map(\.number),
    "AutobahnTextTests": AutobahnTextTests.whole.map(\.number) + AutobahnTextTests.early.map(\.testDescription),
    "AutobahnCloseTests": AutobahnCloseTests.cases.map(\.number),
    "AutobahnLimitTests": AutobahnLimitTests.cases.map(\.number),
    "AutobahnCompressionTests": AutobahnCompressionTests.cases.map(\.number),
    "AutobahnNegotiationTests": AutobahnNegotiationTests.cases.map(\.number),
  ]

  @Test func everyNumberHasATest() {
    let tested = Self.tests.values.flatMap { $0 }
    #expect(Self.numbers.count == 517)
    #expect(tested.count == Set(tested).count)
    #expect(Set(Self.numbers).symmetricDifference(tested) == [])
  }

  @Test func everyNumberIsInTheTable() throws {
    let url = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "AUTOBAHN.md")
    let table = String(decoding: try Data(contentsOf: url), as: UTF8.self)
    var listed: [String: [String]] = [:]
    for line in table.split(separator: "\n") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 5, cells[0].first?.isNumber == true else { continue }
      // What is only counted below would hide an empty cell.
      #expect(cells.allSatisfy { !$0.isEmpty }, "\(line)")
      #expect(["OK", "non-strict", "informational"].contains { cells[3].hasPrefix($0) }, "\(line)")
      listed[cells[4], default: []] += numbers(in: cells[0])
    }
    #expect(Set(listed.keys) == Set(Self.tests.keys))
    for (test, numbers) in Self.tests { #expect(listed[test, default: []].sorted() == numbers.sorted(), "\(test)") }
  }

  /// `9.1.1–9.1.6` has six, and `2.1` one.
  private func numbers(in cell: String) -> [String] {
    let ends = cell.split(separator: "–").map { $0.split(separator: ".").compactMap { Int($0) } }
    guard ends.count == 2, let first = ends[0].last, let last = ends[1].last, first < last,
      ends[0].dropLast() == ends[1].dropLast()
    else { return [cell] }
    let section = ends[0].dropLast().map(String.init).joined(separator: ".")
    return (first...last).map { "\(section).\($0)" }
  }
}
