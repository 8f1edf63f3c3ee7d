import Foundation
import URLLoading

/// Tasks that the service may have crashed by.
///
/// Which of the tasks that were running has done it nobody knows. Each of them is a suspect, which waits for a while and then runs alone: by a
/// second crash it is convicted. So that a long transfer does not hold all others up, it runs alone for some time only; what a crash after
/// that was by is unknown again, and from then on those that were suspects run alone to their ends.
extension JobQueue {
  /// A suspect that runs.
  struct Trial {
    /// For how many seconds nothing runs beside it.
    static let length = 30.0

    let number: Int
    /// When others may run beside it; nil for when it has ended.
    let end: Date?

    init(of job: Job, now: Date) {
      number = job.number
      end = job.state.crashes > 1 ? nil : now.addingTimeInterval(Self.length)
    }
  }

  private static var suspicion: BackgroundFailure {
    BackgroundFailure(
      URLError(
        .backgroundSessionWasDisconnected, message: "The transfer service has crashed while it loaded this.", url: nil))
  }

  /// The service has crashed while it loaded these tasks, which were restored since.
  /// - Returns: the task that it has crashed by, if that is certain: it is to end with an error.
  mutating func crashed(loading numbers: [Int], now: Date) -> Int? {
    if numbers.count == 1, let job = jobs[numbers[0]], job.state.phase != .ended, job.state.crashes > 0 {
      return job.number
    }
    let next = now.addingTimeInterval(RetryPolicy.delayAfterCrash)
    for job in numbers.compactMap({ jobs[$0] }) where job.state.phase != .ended {
      unqueue(job)
      change(job.number) { job in
        job.state.crashes += 1
        job.state.lastFailure = Self.suspicion
        if job.state.phase == .waiting { job.state.nextTry = max(job.state.nextTry ?? next, next) }
      }
      if let job = jobs[job.number], job.state.phase == .waiting { enqueue(job, now: now) }
    }
    return nil
  }
}
