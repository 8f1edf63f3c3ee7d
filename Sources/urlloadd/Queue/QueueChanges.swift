import Foundation
import URLLoading

/// What was changed since the last commit.
struct QueueChanges {
  /// What changes of a task beside its state: nil for what does not, a nil inside for what is removed.
  struct Blobs {
    /// Of a task that was made.
    var description: BackgroundTaskDescription?
    /// Of a task whose program has given it another request.
    var newRequest: BackgroundTaskDescription?
    var resumption: StoredJob.Resumption??
    var response: Data??
    var outcome: BackgroundOutcome??
    /// Of transfers that have failed and are tried again.
    var metrics: BackgroundMetrics??
  }

  /// Nil for a session that is gone.
  var sessions: [String: QueueStore.StoredSession?] = [:]
  var tasks: Set<Int> = []
  var blobs: [Int: Blobs] = [:]
  var limits: JobQueue.Limits?
  /// The paths of files that are removed after the commit: a task that is still there has what it names.
  var files: [String] = []
  /// What is removed or replaced may have credentials: nothing of that stays in the log.
  var erases = false

  var isEmpty: Bool { sessions.isEmpty && tasks.isEmpty && blobs.isEmpty && limits == nil && files.isEmpty }
}
