/// A line that shows how far a load is, or several together.
struct ProgressLine: Equatable, Sendable {
  /// Columns of the label.
  private static let labelWidth = 24

  /// What is loaded: a file's name, or how many are done.
  var label: String
  /// Bytes so far.
  var done: Int64
  /// Bytes in all, if that is known.
  var total: Int64?
  /// Bytes a second, if that is known.
  var rate: Double?

  /// The line, at most `width` columns wide.
  /// - Parameter isColumn: whether the label takes as much room as in other lines.
  func text(width: Int, isColumn: Bool = false) -> String {
    var facts = [ByteText.size(done)]
    if let total { facts[0] += " of \(ByteText.size(total))" }
    if let rate { facts.append("\(ByteText.size(Int64(rate)))/s") }
    if let total, let rate, rate > 0, total > done {
      facts.append("\(ByteText.time(Double(total - done) / rate)) left")
    }
    let tail = facts.joined(separator: "  ")
    let head = shortLabel(isColumn: isColumn)
    var line = head.isEmpty ? tail : "\(head)  \(tail)"
    let room = width - line.count - 9
    if let total, total > 0, room >= 10 {
      let share = min(1, max(0, Double(done) / Double(total)))
      let cells = min(40, room)
      let full = Int(share * Double(cells))
      let bar = String(repeating: "=", count: full) + String(repeating: " ", count: cells - full)
      line += "  [\(bar)] \(Int(share * 100))%"
    }
    return String(line.prefix(max(0, width)))
  }

  /// The line of a load that failed.
  func failed(width: Int) -> String {
    String("\(shortLabel(isColumn: true))  failed after \(ByteText.size(done))".prefix(max(0, width)))
  }

  private func shortLabel(isColumn: Bool) -> String {
    let label = SafeText.line(label)
    let limit = Self.labelWidth
    let short = label.count > limit ? label.prefix(limit - 1) + "…" : label.prefix(limit)
    return isColumn ? short + String(repeating: " ", count: limit - short.count) : String(short)
  }
}
