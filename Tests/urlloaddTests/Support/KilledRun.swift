/// What a program has said until it was killed, and which ends of tasks were not to come again.
struct KilledRun {
  let lines: [String]
  /// The tasks whose ends the service knew to be taken.
  let taken: Set<Int>

  init(_ lines: [String], taken: Set<Int> = []) {
    self.lines = lines
    self.taken = taken
  }

  /// The tasks whose ends it has heard of, in their order.
  var ends: [Int] { numbers("ended") }

  /// The tasks of which it has heard of an end, or got a file, more than once.
  var repeated: [Int] {
    ["ended", "file"].flatMap { word in
      Dictionary(grouping: numbers(word), by: { $0 }).filter { $0.value.count > 1 }.keys
    }
  }

  /// The numbers after a word that lines begin with.
  private func numbers(_ word: String) -> [Int] {
    lines.filter { $0.hasPrefix("\(word) ") }.compactMap { line in
      line.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }
  }
}
