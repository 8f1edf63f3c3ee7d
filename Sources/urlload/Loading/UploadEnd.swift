import URLLoading
internal import URLLoadingBase

/// Waits for what the uploads of a session leave to be removed: the delegate of that session.
///
/// Mutable state: `state`, guarded by its lock.
final class UploadEnd: NSObject, URLSessionDelegate, Sendable {
  private struct State {
    var isInvalid = false
    var waiters: [@Sendable () -> Void] = []
  }

  private let state = Locked(State())

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    let waiters = state.withLock { state in
      state.isInvalid = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter() }
  }

  /// Calls the function when the session's uploads have ended and what they left was removed or given up, or the time has passed.
  /// It may be called twice.
  func wait(within seconds: TimeInterval, _ function: @escaping @Sendable () -> Void) {
    let isInvalid = state.withLock { state in
      if !state.isInvalid { state.waiters.append(function) }
      return state.isInvalid
    }
    if isInvalid { return function() }
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: function)
  }
}

/// A session that uploads.
struct UploadSession: Sendable {
  /// What a server has to remove temporary files before the command ends without it, in seconds.
  static let shutdownTimeout: TimeInterval = 2.5

  let session: URLSession
  private let end = UploadEnd()
  private let unfinished: UnfinishedUploads

  init(configuration: URLSessionConfiguration) {
    session = URLSession(configuration: configuration, delegate: end, delegateQueue: nil)
    // Now, since an invalid session has forgotten it.
    unfinished = session.component(UnfinishedUploads.self)
  }

  /// Ends the session, and waits for what its uploads leave to be removed.
  /// - Parameters:
  ///   - cancels: whether uploads that run are broken off.
  ///   - function: gets the files that are left, or may be; called once.
  func end(cancels: Bool, _ function: @escaping @Sendable ([URL]) -> Void) {
    let isOver = Locked(false)
    if cancels { session.invalidateAndCancel() } else { session.finishTasksAndInvalidate() }
    end.wait(within: Self.shutdownTimeout) {
      let isFirst = isOver.withLock { isOver in
        defer { isOver = true }
        return !isOver
      }
      if isFirst { function(unfinished.urls) }
    }
  }

  /// Tells of files, for the middle of a line.
  static func text(_ left: [URL]) -> String {
    "unfinished files are left, or may be: \(left.map(\.absoluteString).joined(separator: ", "))"
  }
}
