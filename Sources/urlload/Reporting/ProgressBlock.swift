/// The lines that show how far loads are: one for each that is under way, the total below. On a terminal that is too narrow or too short
/// for that the total alone.
struct ProgressBlock: Sendable {
  /// A line for each load takes so many columns at least.
  static let narrowest = 60

  private var meters: [RateMeter]
  private var total = RateMeter()

  init(count: Int) {
    meters = Array(repeating: RateMeter(), count: count)
  }

  /// The lines now.
  /// - Parameter elapsed: seconds since the beginning.
  mutating func lines(
    _ loads: [LoadStatus.Snapshot], at elapsed: Double, columns: Int, rows: Int
  ) -> [String] {
    for index in loads.indices where loads[index].hasBegun && !loads[index].hasEnded {
      meters[index].add(loads[index].done, at: elapsed)
    }
    let width = columns - 1
    var sum = Self.sum(of: loads)
    total.add(sum.done, at: elapsed)
    sum.rate = total.rate
    guard loads.count > 1 else { return [sum.text(width: width)] }
    let running = loads.indices.filter { loads[$0].hasBegun && !loads[$0].hasEnded }
    let isWide = columns >= Self.narrowest
    // Where all fit they stay, so that nothing moves.
    let shown = loads.count + 2 <= rows ? loads.indices.filter { loads[$0].hasBegun } : running
    guard isWide, shown.count + 2 <= rows else { return [sum.text(width: width)] }
    return shown.map { index in
      let load = loads[index]
      let line = ProgressLine(
        label: load.name, done: load.done, total: load.total, rate: load.hasEnded ? nil : meters[index].rate)
      return load.hasFailed ? line.failed(width: width) : line.text(width: width, isColumn: true)
    } + [sum.text(width: width)]
  }

  /// The line for one load, or the sum of several.
  static func sum(of loads: [LoadStatus.Snapshot]) -> ProgressLine {
    if loads.count == 1 {
      return ProgressLine(label: loads[0].name, done: loads[0].done, total: loads[0].total, rate: nil)
    }
    let failed = loads.count { $0.hasFailed }
    let whole = loads.count { $0.hasEnded } - failed
    let done = sum(of: loads.map(\.done)) ?? .max
    // What failed is not to come any more.
    let isKnown = loads.allSatisfy { $0.hasFailed || $0.total != nil }
    let total = isKnown ? sum(of: loads.map { $0.hasFailed ? $0.done : $0.total ?? 0 }) : nil
    let failures = failed > 0 ? ", \(failed) failed" : ""
    let label = "\(whole) of \(loads.count)"
    return ProgressLine(
      label: "\(label) files\(failures)", done: done, total: total, rate: nil, shortLabel: label + failures)
  }

  /// Nil for more than can be counted: servers announce what they like.
  private static func sum(of counts: [Int64]) -> Int64? {
    counts.reduce(0 as Int64?) { sum, count in
      guard let (sum, overflows) = sum?.addingReportingOverflow(count), !overflows else { return nil }
      return sum
    }
  }
}
