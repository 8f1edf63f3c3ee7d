/// Reads the entries of one task; cancels it when nobody reads any more.
final class EntryReader: Sendable {
  private let task: URLSessionDataTask
  private let sink: EntrySink

  init(task: URLSessionDataTask, sink: EntrySink) {
    self.task = task
    self.sink = sink
    task.resume()
  }

  deinit {
    task.cancel()
  }

  /// Entries that follow, at least one; nil at the end.
  func nextBatch() async throws -> [URLDirectoryEntry]? {
    try await withTaskCancellationHandler {
      // What waits is of no use to a task that was cancelled.
      if Task.isCancelled { sink.dropAll() }
      return try await sink.nextBatch()
    } onCancel: {
      task.cancel()
    }
  }
}
