/// Runs tasks that prefer it on the thread of ``EventLoop/shared``: they start transfers and are resumed without another thread.
///
/// A job runs between the loop's turns, never inside a callback of libcurl. Jobs that jobs enqueue run in a few rounds, and then sockets
/// are served: a task that yields for ever delays transfers, and does not starve them.
package final class LoopTaskExecutor: TaskExecutor {
  package static let shared = LoopTaskExecutor()

  private init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    EventLoop.shared.enqueue(taskJob: UnownedJob(job))
  }
}
