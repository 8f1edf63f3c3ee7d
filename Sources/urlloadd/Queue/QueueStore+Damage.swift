import Foundation
import URLLoading
internal import URLLoadingSQLite

/// A file that turns out to be damaged while it is read or written: a page that is damaged costs its tasks, and no others.
extension QueueStore {
  /// Goes on in a new file, with what can still be read of this one, which is put aside.
  ///
  /// - Parameters:
  ///   - sessions: what the new file has of sessions.
  ///   - jobs: what it has of tasks, by their numbers, beside what the damaged file has.
  ///   - limits: nil for none.
  /// - Returns: the numbers of the tasks that are lost.
  func replaceDamaged(
    sessions: [String: StoredSession], jobs: [Int: Job], limits: JobQueue.Limits?
  ) throws -> Set<Int> {
    var kept = QueueChanges()
    kept.sessions = sessions.mapValues { Optional($0) }
    kept.limits = limits
    for number in jobs.keys {
      guard let stored = try? stored(number) else { continue }
      var blobs = QueueChanges.Blobs(description: stored.description)
      if let resumption = stored.resumption { blobs.resumption = .some(resumption) }
      if let response = stored.response { blobs.response = .some(response) }
      if let outcome = stored.outcome { blobs.outcome = .some(outcome) }
      if let metrics = try? metrics(number) { blobs.metrics = .some(metrics) }
      kept.blobs[number] = blobs
      kept.tasks.insert(number)
    }
    try beginNewFile()
    try write(kept) { number in
      guard var job = jobs[number], job.state.phase == .ended, kept.blobs[number]?.outcome == nil else {
        return jobs[number]
      }
      // What has become of it comes with the next commit. Until then it is no task that has ended, whose end its program would not hear.
      job.state.phase = .waiting
      job.state.endOrder = nil
      return job
    }
    ServiceLog.write("The queue was damaged: \(kept.tasks.count) of its tasks could be read, the others are lost.")
    return Set(jobs.keys).subtracting(kept.tasks)
  }

  /// What a damaged file has, which is in a new one then: what lies between its ends and the damage.
  func contentsOfDamaged() throws -> (sessions: [String: StoredSession], jobs: [Job]) {
    var sessions: [String: StoredSession] = [:]
    var jobs: [Int: Job] = [:]
    for backwards in [false, true] { try? readSessions(backwards: backwards) { sessions[$0] = $1 } }
    for backwards in [false, true] {
      try? readJobs(backwards: backwards) { if sessions[$0.session] != nil { jobs[$0.number] = $0 } }
    }
    for lost in try replaceDamaged(sessions: sessions, jobs: jobs, limits: try? limits()) { jobs[lost] = nil }
    return (sessions, Array(jobs.values))
  }
}
