/// A line that shows how far a load is, or several together.
struct ProgressLine: Equatable, Sendable {
  /// Columns of the label, on narrow terminals, and what these are.
  private static let (labelWidth, narrowLabelWidth, narrowest) = (24, 16, 80)
  /// Columns of a bar.
  private static let barWidths = 4...40

  /// What is loaded: a file's name, or how many are done.
  var label: String
  /// Bytes so far.
  var done: Int64
  /// Bytes in all, if that is known.
  var total: Int64?
  /// Bytes a second, if that is known.
  var rate: Double?
  /// A label for lines in which the other leaves no room.
  var shortLabel: String?

  /// The line, at most `width` columns wide.
  /// - Parameter isColumn: whether the label takes as much room as in other lines.
  func text(width: Int, isColumn: Bool = false) -> String {
    var facts = [ByteText.size(done)]
    if let total { facts[0] += " of \(ByteText.size(total))" }
    if let rate { facts.append("\(ByteText.size(Int64(exactly: rate.rounded(.down)) ?? .max))/s") }
    if let total, let rate, rate > 0, total > done {
      facts.append("\(ByteText.time(Double(total - done) / rate)) left")
    }
    let tail = facts.joined(separator: "  ")
    let head = head(width, isColumn: isColumn)
    var line = head.isEmpty ? tail : "\(head)  \(tail)"
    if line.count > width, let shortLabel { line = "\(shortLabel)  \(tail)" }
    if let total, total > 0 {
      let share = min(1, max(0, Double(done) / Double(total)))
      // Two spaces, two brackets, a space and at most 100%.
      let cells = min(Self.barWidths.upperBound, width - line.count - 9)
      if cells >= Self.barWidths.lowerBound {
        let full = Int(share * Double(cells))
        line += "  [\(String(repeating: "=", count: full))\(String(repeating: " ", count: cells - full))]"
        line += " \(Int(share * 100))%"
      } else if width - line.count >= 6 {
        line += "  \(Int(share * 100))%"
      }
    }
    return String(line.prefix(max(0, width)))
  }

  /// The line of a load that failed.
  func failed(width: Int) -> String {
    String("\(head(width, isColumn: true))  failed after \(ByteText.size(done))".prefix(max(0, width)))
  }

  private func head(_ width: Int, isColumn: Bool) -> String {
    let label = SafeText.line(label)
    let limit = isColumn && width < Self.narrowest ? Self.narrowLabelWidth : Self.labelWidth
    let short = label.count > limit ? label.prefix(limit - 1) + "…" : label.prefix(limit)
    return isColumn ? short + String(repeating: " ", count: limit - short.count) : String(short)
  }
}
