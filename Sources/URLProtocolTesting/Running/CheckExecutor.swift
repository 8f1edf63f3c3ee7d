import URLLoading

/// Runs checks on threads that a class may block: those of Swift's cooperative pool are too few for that, and a class that
/// hangs would take the tests of the whole process with it.
///
/// Mutable state: none of its own; the pool guards its.
final class CheckExecutor: TaskExecutor {
  static let shared = CheckExecutor()

  /// A thread that hangs is lost; there are enough for every check of many classes.
  private let pool = BlockingPool(name: "URLProtocolTesting", maximumThreadCount: 512)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    pool.run { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Runs what may hang.
  func run(_ work: @escaping @Sendable () -> Void) { pool.run(work) }
}
