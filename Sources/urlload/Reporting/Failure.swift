/// Why something could not be done: one line for people, and an exit code for scripts.
struct Failure: Error, Equatable {
  let reason: ExitReason
  /// What was wrong.
  let what: String
  /// The URL or file.
  let subject: String?
  /// What would be right.
  let advice: String
  /// A further line, such as what is kept of a load.
  var note: String?
  /// Whether the bytes that came are still worth to be kept.
  let keepsPart: Bool

  init(
    _ reason: ExitReason, _ what: String, _ subject: String? = nil, advice: String, keepsPart: Bool = true
  ) {
    self.keepsPart = keepsPart
    self.reason = reason
    self.what = what
    self.subject = subject
    self.advice = advice
  }

  /// `urlload: <what was wrong>, <which URL>: <what would be right>`, without the line's end.
  var line: String {
    SafeText.line("urlload: \(what)\(subject.map { ", \($0)" } ?? ""): \(advice)")
  }
}
