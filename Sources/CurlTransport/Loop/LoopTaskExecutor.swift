/// Runs tasks that prefer it on the thread of ``EventLoop/shared``: they start transfers and are resumed without another thread.
///
/// A job runs between the loop's turns, never inside a callback of libcurl. What jobs enqueue runs in a few rounds, then sockets have
/// their turn: a task that yields for ever delays transfers, and does not starve them.
package final class LoopTaskExecutor: TaskExecutor {
  package static let shared = LoopTaskExecutor()

  private init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    EventLoop.shared.enqueue(taskJob: UnownedJob(job))
  }
}
