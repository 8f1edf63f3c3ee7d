/// Reads the entries of one task; cancels a task that has not come to its end when it is released.
final class EntryReader: Sendable {
  private let task: URLSessionDataTask
  private let sink: EntrySink

  init(task: URLSessionDataTask, sink: EntrySink) {
    self.task = task
    self.sink = sink
    task.resume()
  }

  deinit {
    if !sink.hasEnded { task.cancel() }
  }

  /// The next entries, at least one; nil at the end.
  func nextBatch() async throws -> [URLDirectoryEntry]? {
    try await withTaskCancellationHandler {
      // A cancelled reader gets no buffered entries.
      if Task.isCancelled { sink.cancelReading() }
      return try await sink.next()
    } onCancel: {
      task.cancel()
    }
  }
}
