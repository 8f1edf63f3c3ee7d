/// A line of a file, for messages.
struct SourceLine: Hashable, Sendable, CustomStringConvertible {
  let file: String
  /// Counted from 1.
  let line: Int

  var description: String { "\(file):\(line)" }
}

/// A line that was not understood, and therefore left out.
struct LineProblem: Hashable, Sendable, CustomStringConvertible {
  let place: SourceLine
  /// What is wrong with it, as a sentence without its end.
  let reason: String

  var description: String { "\(place): \(reason)" }
}
