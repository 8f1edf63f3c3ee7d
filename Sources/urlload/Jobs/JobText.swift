import Foundation
import URLLoading

/// Jobs as lines.
enum JobText {
  /// `12 tries again 34% 5.6 MB https://example.org/x (the last failure)`.
  static func line(_ job: BackgroundJob) -> String {
    let progress = job.progress
    let moved = job.kind == .upload ? progress.sent : progress.received
    let share =
      job.kind == .download && progress.expectedToReceive > 0 && !job.hasEnded
      ? " \(progress.received * 100 / progress.expectedToReceive)%" : ""
    let failure = job.failure.map { " (\(SafeText.sentence($0)))" } ?? ""
    return SafeText.line("\(job.number) \(job.state)\(share) \(ByteText.size(moved)) \(job.url)\(failure)")
  }

  static func json(_ job: BackgroundJob) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return String(decoding: try encoder.encode(job), as: UTF8.self)
  }
}
