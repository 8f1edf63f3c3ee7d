import Foundation
import URLLoading
internal import URLLoadingSQLite

/// What the service does where the queue's file turns out to be damaged.
extension TransferService {
  /// Reads of the queue's file, and once more of the new one where that is damaged.
  /// - Returns: nil also for what cannot be read.
  @discardableResult
  func readStore<Value>(_ body: (QueueStore) throws -> Value?) -> Value? {
    do { return try body(store) } catch let error as SQLiteError where error.saysDamaged {
      guard replaceStore() else { return nil }
      return try? body(store)
    } catch { return nil }
  }

  /// Puts a damaged file aside, and goes on with what is known. Tasks whose parts cannot be read any more end.
  /// - Returns: whether there is a new file.
  func replaceStore() -> Bool {
    // What the file does not have yet comes with the next commit.
    let jobs = queue.jobs.filter { changes.blobs[$0.key]?.description == nil }
    guard let lost = try? store.replaceDamaged(sessions: storable(sessions), jobs: jobs, limits: queue.limits) else {
      return false
    }
    for job in lost.compactMap({ queue.jobs[$0] }) {
      var outcome = BackgroundOutcome()
      outcome.error = BackgroundFailure(
        URLError(
          .cannotOpenFile, message: "The queue of the transfer service was damaged where it had this task.", url: nil))
      outcome.progress = job.state.progress
      // A program that is not there does not hear of it: there is no task any more.
      tell(job, .ended(outcome))
      discard(job)
    }
    return true
  }
}
