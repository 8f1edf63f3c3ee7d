import URLLoading

/// A session that uploads, and can be ended with what its uploads leave removed.
struct UploadSession: Sendable {
  /// What a server has to remove temporary files before the command ends without it, in seconds.
  private static let shutdownTimeout: TimeInterval = 2.5

  /// The session is invalid once its uploads have ended and what they left was removed or given up.
  private final class End: NSObject, URLSessionDelegate, Sendable {
    let hasEnded = DispatchGroup()

    override init() { hasEnded.enter() }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { hasEnded.leave() }
  }

  let session: URLSession
  private let end = End()
  private let unfinished: UnfinishedUploads

  init(configuration: URLSessionConfiguration) {
    session = URLSession(configuration: configuration, delegate: end, delegateQueue: nil)
    // Now, because an invalid session has no resources.
    unfinished = session.component(UnfinishedUploads.self)
  }

  /// Ends the session, and waits for what its uploads leave to be removed.
  /// - Parameters:
  ///   - cancels: whether running uploads are cancelled.
  ///   - function: gets the files that are left, or may be; on a thread of its own.
  func end(cancels: Bool, _ function: @escaping @Sendable ([URL]) -> Void) {
    if cancels { session.invalidateAndCancel() } else { session.finishTasksAndInvalidate() }
    DispatchQueue.global().async {
      _ = end.hasEnded.wait(timeout: .now() + Self.shutdownTimeout)
      function(unfinished.urls)
    }
  }

  /// A message about files that are left.
  static func text(_ left: [URL]) -> String {
    "unfinished files are left, or may be: \(left.map(\.absoluteString).joined(separator: ", "))"
  }
}
