/// A line of a file, for messages.
struct SourceLine: Hashable, Sendable, CustomStringConvertible {
  let file: String
  /// Counted from 1.
  let line: Int

  var description: String { "\(file):\(line)" }
}

/// A line that was left out.
struct LineProblem: Hashable, Sendable, CustomStringConvertible {
  let place: SourceLine
  /// A sentence without its full stop.
  let reason: String

  var description: String { "\(place): \(reason)" }
}
