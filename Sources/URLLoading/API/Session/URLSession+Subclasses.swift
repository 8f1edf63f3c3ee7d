internal import URLLoadingBase

/// The `async` functions of a subclass call its methods with completion handlers, which it may have overridden.
extension URLSession {
  var isSubclassed: Bool { type(of: self) != URLSession.self }

  /// Runs the task that `make` makes to its end. Cancelling the caller cancels it.
  func handled<Body: Sendable>(
    _ delegate: (any URLSessionTaskDelegate)?,
    _ make: (@escaping @Sendable (Body?, URLResponse?, (any Error)?) -> Void) -> URLSessionTask
  ) async throws -> (Body, URLResponse) {
    let running = CancellableTask()
    return try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        let answer = SingleAnswer()
        let task = make { body, response, error in
          guard answer.take() else { return }
          if let body, let response, error == nil {
            continuation.resume(returning: (body, response))
          } else {
            continuation.resume(throwing: error ?? URLError(.badServerResponse))
          }
        }
        if let delegate { task.delegate = delegate }
        running.begin(task)
      }
    } onCancel: {
      running.cancel()
    }
  }

  /// Does the same for a download, and keeps the file, which its task removes when the handler returns.
  func kept(
    _ delegate: (any URLSessionTaskDelegate)?,
    _ make: (@escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void) -> URLSessionTask
  ) async throws -> (URL, URLResponse) {
    try await handled(delegate) { handler in
      make { file, response, error in
        guard let file else { return handler(nil, response, error) }
        let kept = file.deletingLastPathComponent().appending(component: "\(UUID().uuidString).tmp")
        do {
          // Not moved: a subclass may give a file of its own.
          try FileManager.default.copyItem(at: file, to: kept)
          handler(kept, response, error)
        } catch {
          handler(nil, response, error)
        }
      }
    }
  }
}

/// A task that is resumed unless it was cancelled before.
///
/// Mutable state: `state`, guarded by its lock.
private final class CancellableTask: Sendable {
  private struct State {
    var task: URLSessionTask?
    var isCancelled = false
  }

  private let state = Locked(State())

  func begin(_ task: URLSessionTask) {
    let isCancelled = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if isCancelled { task.cancel() } else { task.resume() }
  }

  func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }
}
