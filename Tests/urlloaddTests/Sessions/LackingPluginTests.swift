import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@testable import urlloadd

/// A queue whose tasks need a plugin that the service lacks, as an earlier service has left it that had one.
@Suite(.timeLimit(.minutes(5))) struct LackingPluginTests {
  private static let session = "left"
  private static let resumeData = Data("resume".utf8)
  private let fixture: BackgroundFixture

  init() throws { fixture = try BackgroundFixture() }

  private var files: URL { fixture.state.appending(path: "files") }

  private func openStore() throws -> QueueStore {
    try FileManager.default.createDirectory(
      at: files, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return try QueueStore(path: fixture.state.appending(path: "queue.sqlite").path)
  }

  /// The file that a download has written in part.
  private func part(_ number: Int) -> URL { files.appending(path: "part-\(number)") }

  /// Stores a download that has begun.
  /// - Parameter isLacking: the service before had no plugin for it, and the next try is in a day.
  private func leave(_ number: Int, resourceTimeout: Double? = nil, isLacking: Bool = false) throws {
    let url = try #require(URL(string: "vault://127.0.0.1/\(number)"))
    var task = BackgroundTaskDescription(kind: .download, request: BackgroundValues.data(of: URLRequest(url: url)))
    task.identifier = number
    var job = Job(
      number: number, session: Self.session, identifier: number, kind: .download, origin: "vault://127.0.0.1:",
      resourceTimeout: resourceTimeout)
    job.state.phase = .waiting
    job.state.resumed = Date()
    if isLacking {
      job.state.lastFailure = BackgroundFailure(URLError(.unsupportedURL))
      job.state.nextTry = Date(timeIntervalSinceNow: 86_400)
    }
    let description = BackgroundSessionDescription(identifier: Self.session, program: "/bin/true")
    let store = try openStore()
    try Data("part".utf8).write(to: part(number))
    var changes = QueueChanges()
    changes.sessions[Self.session] = QueueStore.StoredSession(description: description, nextIdentifier: 10)
    changes.tasks = [number]
    changes.blobs[number] = QueueChanges.Blobs(
      description: task,
      resumption: StoredJob.Resumption(data: Self.resumeData, file: part(number).path, boot: MachineBoot.identifier))
    let stored = job
    try store.write(changes) { $0 == number ? stored : nil }
  }

  /// Has a service run until a task is in a state.
  /// - Returns: that task.
  private func listed(_ number: Int, until isThere: (BackgroundJob) -> Bool) async throws -> BackgroundJob {
    let program = try fixture.program("idle")
    var found: BackgroundJob?
    let isFound = try await eventually {
      found = try? BackgroundControl(at: fixture.place).jobs().first { $0.number == number && isThere($0) }
      return found != nil
    }
    await program.kill()
    try await fixture.killService()
    #expect(isFound, "\(program.lines)")
    return try #require(found)
  }

  @Test func aTaskWaitsWithWhatHasCome() async throws {
    try leave(1)
    let job = try await listed(1) { $0.failure != nil }
    #expect(job.state == "tries again" && !job.hasEnded, "\(job)")
    #expect(job.failure?.contains(fixture.pluginList.path) == true, "\(job)")
    let store = try openStore()
    #expect(try store.contents().jobs.map(\.state.phase) == [.waiting])
    let stored = try #require(try store.stored(1))
    #expect(stored.outcome == nil)
    #expect(stored.resumption?.data == Self.resumeData && stored.resumption?.file == part(1).path)
    #expect(try Data(contentsOf: part(1)) == Data("part".utf8))
    await fixture.stop()
  }

  @Test func aServiceThatStartsTriesItAtOnce() async throws {
    try leave(1, isLacking: true)
    let job = try await listed(1) { job in job.nextTry.map { $0.timeIntervalSinceNow < 3600 } ?? false }
    #expect(job.failure?.contains(fixture.pluginList.path) == true, "\(job)")
    await fixture.stop()
  }

  @Test func theResourceTimeoutEndsItWithItsResumeData() async throws {
    try leave(1, resourceTimeout: 1)
    let job = try await listed(1) { $0.hasEnded }
    #expect(job.failure?.contains("resource timeout") == true, "\(job)")
    #expect(try openStore().stored(1)?.outcome?.resumeData == Self.resumeData)
    #expect(try Data(contentsOf: part(1)) == Data("part".utf8))
    await fixture.stop()
  }

  /// The service before was killed between the end of the download and its commit.
  @Test func aDownloadThatIsWholeEnds() async throws {
    try leave(1)
    let body = TransferSession.bodyPath(1, in: files.path)
    try FileManager.default.moveItem(atPath: part(1).path, toPath: body)
    let job = try await listed(1) { $0.hasEnded }
    #expect(job.state == "done" && job.failure == nil, "\(job)")
    #expect(try openStore().stored(1)?.outcome?.file == body)
    await fixture.stop()
  }
}
