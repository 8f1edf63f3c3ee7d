extension URLSession {
  /// Accepts no new tasks, lets running ones finish for a time, cancels the rest, and returns when the session is invalid and its delegate
  /// was told so. Our addition.
  ///
  /// Tasks that are made meanwhile fail with `URLError.cancelled`, as after ``finishTasksAndInvalidate()``. If the surrounding `Task` is
  /// cancelled, so is the rest, at once. The tasks of a background session are not cancelled: the transfer service goes on with them, and the
  /// call returns after the time at the latest. For ``shared`` it does nothing.
  /// - Parameter limit: how long tasks may go on.
  public func finishTasksAndInvalidate(within limit: Duration) async {
    finishTasksAndInvalidate()
    // The shared session, or that of a mock, goes on.
    guard !acceptsTasks else { return }
    let (stream, end) = AsyncStream<Void>.makeStream()
    whenInvalid { end.finish() }
    let cancelsTasks = parts.background == nil
    let giveUp: @Sendable () -> Void = { if cancelsTasks { self.invalidateAndCancel() } else { end.finish() } }
    let timer = Task {
      // Beyond 68 years the sum with the time of now may be none.
      try await Task.sleep(for: min(limit, .seconds(1 << 31)))
      giveUp()
    }
    // Not cancelled with the caller: what is left is to end first.
    let waiter = Task { for await _ in stream {} }
    await withTaskCancellationHandler {
      await waiter.value
    } onCancel: {
      giveUp()
    }
    timer.cancel()
  }
}
