import Foundation
import URLLoading
import URLLoadingTestServers

@testable import urlloadd

extension BackgroundFixture {
  /// The queue's file, while no service runs.
  func queue() throws -> QueueStore {
    try FileManager.default.createDirectory(
      at: state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return try QueueStore(path: state.appending(path: "queue.sqlite").path)
  }

  /// Writes a queue with one task, a download of the session `test` that waits.
  /// - Parameters:
  ///   - request: in the form in which a program sends it.
  ///   - change: what else is so of the task.
  func storeDownload(_ request: Data, _ change: (inout Job.State) -> Void = { _ in }) throws {
    var job = Job(number: 1, session: "test", identifier: 1, kind: .download, origin: "o")
    job.state.phase = .waiting
    change(&job.state)
    var task = BackgroundTaskDescription(kind: .download, request: request)
    task.identifier = 1
    var changes = QueueChanges()
    changes.sessions["test"] = QueueStore.StoredSession(
      description: BackgroundSessionDescription(identifier: "test", program: "/bin/true"), nextIdentifier: 2)
    changes.tasks = [1]
    changes.blobs[1] = QueueChanges.Blobs(description: task)
    let stored = job
    try queue().write(changes) { $0 == 1 ? stored : nil }
  }
}
