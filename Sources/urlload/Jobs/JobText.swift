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

  /// A job that has failed has no number any more.
  static func line(_ job: FailedJobs.Job) -> String { SafeText.line("failed \(job.url) (\(job.failure))") }

  static func json(_ job: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return String(decoding: try encoder.encode(job), as: UTF8.self)
  }
}
