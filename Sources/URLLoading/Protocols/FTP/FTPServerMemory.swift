internal import URLLoadingBase
internal import URLLoadingCurlTransport

/// The questions that the session's FTP servers do not answer: only one load waits for each.
// Mutable state: `unanswered`, guarded by its lock.
final class FTPServerMemory: URLSessionComponent {
  private let unanswered = Locked<[String: FTPQuestions]>([:])

  init(configuration: URLSessionConfiguration) {}

  /// What the server of a URL may be asked.
  func questions(for url: URL) -> FTPQuestions {
    FTPQuestions.all.subtracting(unanswered.withLock { $0[Self.name(url)] } ?? [])
  }

  /// A server has not answered. One that does not answer SIZE is not asked MDTM either.
  func leftUnanswered(_ question: FTPQuestions, by url: URL) {
    let questions = question.contains(.size) ? [.size, .date] : question
    unanswered.withLock { $0[Self.name(url), default: []].formUnion(questions) }
  }

  func flush() {}

  func invalidate() {}

  private static func name(_ url: URL) -> String {
    "\(url.host(percentEncoded: false)?.lowercased() ?? ""):\(url.port ?? 21)"
  }
}
