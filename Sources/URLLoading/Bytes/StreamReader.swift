/// Reads the body of one task; cancels the task when it is released.
final class StreamReader: Sendable {
  let task: URLSessionDataTask
  private let sink: StreamSink

  init(task: URLSessionDataTask, sink: StreamSink) {
    self.task = task
    self.sink = sink
  }

  // A load that has come to its end is not cancelled for a reader that goes before the task is completed.
  deinit {
    if !sink.hasEnded { task.cancel() }
  }

  func response() async throws -> URLResponse {
    try await withTaskCancellationHandler {
      try await sink.response()
    } onCancel: {
      task.cancel()
    }
  }

  /// The next bytes; nil at the end.
  /// - Throws: what the load failed with; `CancellationError` when the task was cancelled before, and `URLError.cancelled` when that
  ///   happens meanwhile, which both cancel the load.
  func nextChunk() async throws -> Data? {
    if Task.isCancelled {
      task.cancel()
      throw CancellationError()
    }
    return try await withTaskCancellationHandler {
      try await sink.nextChunk()
    } onCancel: {
      task.cancel()
    }
  }
}
