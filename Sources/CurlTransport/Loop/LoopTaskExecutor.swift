import Dispatch

/// Runs tasks that prefer it on the thread of ``EventLoop/shared``: they start transfers and are resumed without another thread.
///
/// A job runs between the loop's turns, never inside a callback of libcurl. Jobs that jobs enqueue run in a few rounds, and then sockets
/// are served: a task that yields for ever delays transfers, and does not starve them.
///
/// Where the system has no thread or descriptor for the loop, jobs run on Dispatch's threads, as those without a preference do.
package final class LoopTaskExecutor: TaskExecutor {
  package static let shared = LoopTaskExecutor()

  private init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if EventLoop.shared.start() == 0 { return EventLoop.shared.enqueue(taskJob: job) }
    DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
