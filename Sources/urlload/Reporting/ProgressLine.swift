/// A line that shows how far a load is, or several together.
struct ProgressLine: Equatable, Sendable {
  /// What is loaded: a file's name, or how many are done.
  var label: String
  /// Bytes so far.
  var done: Int64
  /// Bytes in all, if that is known.
  var total: Int64?
  /// Bytes a second, if that is known.
  var rate: Double?

  /// The line, at most `width` columns wide.
  func text(width: Int) -> String {
    var facts = [ByteText.size(done)]
    if let total { facts[0] += " of \(ByteText.size(total))" }
    if let rate { facts.append("\(ByteText.size(Int64(rate)))/s") }
    if let total, let rate, rate > 0, total > done {
      facts.append("\(ByteText.time(Double(total - done) / rate)) left")
    }
    let tail = facts.joined(separator: "  ")
    let label = SafeText.line(self.label)
    let head = label.count > 24 ? label.prefix(23) + "…" : label.prefix(24)
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
}
