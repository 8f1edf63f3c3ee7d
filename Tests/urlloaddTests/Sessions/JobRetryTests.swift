import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@testable import urlloadd

/// `urlload jobs retry`.
@Suite(.timeLimit(.minutes(3))) struct JobRetryTests {
  private let fixture: BackgroundFixture

  init() throws { fixture = try BackgroundFixture() }

  /// The next try of this one would be in an hour.
  @Test func aJobIsTriedAgainAtOnce() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "ok") }
    try store(download: server.url("/a"), nextTry: Date().addingTimeInterval(3600))
    let idle = try fixture.program("idle")
    _ = try await fixture.control()
    let list = try await urlload("jobs")
    #expect(list.text.hasPrefix("1 tries again 0 B \(server.url("/a").absoluteString) ("), "\(list)")
    let unknown = try await urlload("jobs", "retry", "7")
    #expect(unknown.status != .exited(0) && unknown.error.contains("There is no job 7"), "\(unknown)")
    #expect(server.connectionCount == 0)
    let retried = try await urlload("jobs", "retry", "1")
    #expect(retried.status == .exited(0), "\(retried)")
    #expect(await server.waitForRequests(1, timeout: .seconds(60)))
    let program = try fixture.program()
    #expect(try await program.says("ended 1 0 200"), "\(program.lines)")
    for program in [idle, program] { await program.kill() }
    await fixture.stop()
  }

  private func urlload(_ arguments: String...) async throws -> Command.Outcome {
    try await Command.run(BuiltProgram.path("urlload"), arguments, environment: fixture.environment)
  }

  /// Writes a queue with a task that has failed.
  private func store(download url: URL, nextTry: Date) throws {
    try FileManager.default.createDirectory(
      at: fixture.state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    var job = Job(number: 1, session: "test", identifier: 1, kind: .download, origin: "o")
    job.state.phase = .waiting
    (job.state.failures, job.state.nextTry) = (9, nextTry)
    job.state.lastFailure = BackgroundFailure(URLError(.timedOut))
    var task = BackgroundTaskDescription(kind: .download, request: BackgroundValues.data(of: URLRequest(url: url)))
    task.identifier = 1
    var changes = QueueChanges()
    changes.sessions["test"] = QueueStore.StoredSession(
      description: BackgroundSessionDescription(identifier: "test", program: "/bin/true"), nextIdentifier: 2)
    changes.tasks = [1]
    changes.blobs[1] = QueueChanges.Blobs(description: task)
    let stored = job
    try QueueStore(path: fixture.state.appending(path: "queue.sqlite").path).write(changes) { $0 == 1 ? stored : nil }
  }
}
