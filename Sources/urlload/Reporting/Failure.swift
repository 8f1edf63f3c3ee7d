/// Why something could not be done: one line for people, and an exit code for scripts.
struct Failure: Error, Equatable {
  let reason: ExitReason
  /// What was wrong.
  let what: String
  /// The URL or file.
  let subject: String?
  /// What would be right.
  let advice: String

  init(_ reason: ExitReason, _ what: String, _ subject: String? = nil, advice: String) {
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
