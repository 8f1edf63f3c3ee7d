import Foundation
import Testing
import URLLoading
import URLLoadingSQLite
import URLLoadingTestServers

@testable import urlloadd

/// The queue's file.
@Suite struct QueueStoreTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory("queue") }

  private func jobs(_ store: QueueStore) throws -> [Job] { try store.contents().jobs }

  @Test func tasksComeBackAsTheyWere() throws {
    let path = folder.file("queue.sqlite").path
    var job = Job(number: 4, session: "s", identifier: 2, kind: .download, origin: "o", resourceTimeout: 1.5)
    job.state.phase = .asking
    job.state.hints.label = "ü"
    job.state.resumed = Date(timeIntervalSinceReferenceDate: 800_000_000.1)
    (job.state.hasAsked, job.state.failures, job.state.endOrder) = (true, 3, 9)
    job.state.nextTry = Date(timeIntervalSinceReferenceDate: 1)
    job.state.lastFailure = BackgroundFailure(URLError(.timedOut))
    (job.state.progress.received, job.state.tookFile, job.state.avoidsMetered) = (7, true, true)
    var outcome = BackgroundOutcome()
    outcome.file = "/file"
    let resumption = StoredJob.Resumption(data: Data([1]), file: "/part", syncedLength: 5, boot: "boot")
    var changes = QueueChanges()
    var session = QueueStore.StoredSession(
      description: BackgroundSessionDescription(identifier: "s", program: "/bin/true"), launches: 2,
      nextIdentifier: 5)
    session.nextLaunch = Date(timeIntervalSinceReferenceDate: 2)
    changes.sessions["s"] = session
    changes.tasks = [4]
    changes.blobs[4] = QueueChanges.Blobs(
      description: BackgroundTaskDescription(kind: .download, request: Data([1, 2])), resumption: .some(resumption),
      outcome: .some(outcome))
    let stored = job
    try QueueStore(path: path).write(changes) { $0 == 4 ? stored : nil }
    let store = try QueueStore(path: path)
    #expect(try jobs(store) == [job])
    #expect(try store.contents().sessions == ["s": session])
    let read = try #require(try store.stored(4))
    #expect(read.description.request == Data([1, 2]) && read.resumption == resumption)
    #expect(read.outcome?.file == "/file" && read.response == nil)
  }

  /// An earlier version wrote it.
  @Test func aProxysPasswordInARowIsErased() throws {
    try FileManager.default.createDirectory(at: folder.file("state"), withIntermediateDirectories: true)
    let path = folder.file("state/queue.sqlite").path
    _ = try QueueStore(path: path)
    var description = BackgroundSessionDescription(identifier: "s", program: "/bin/true")
    let proxies: [String: Any] = ["HTTPProxy": "http://u:p@a"]
    description.proxies = BackgroundValues.data(of: proxies)
    let content = try JSONEncoder().encode(description)
    let row = CompactForm.data { writer in
      writer.bytes(content)
      writer.integer(0)
      writer.optional(Date?.none) { $0.moment($1) }
      writer.integer(1)
      writer.moment(Date())
    }
    let database = try SQLiteDatabase(path: path)
    let insert = try database.statement("INSERT INTO session VALUES ('s', ?)")
    try insert.bind(row, at: 1)
    try insert.run()
    let service = try TransferService(in: folder)
    // Its tasks are still loaded by it.
    #expect(service.sessions["s"]?.environments.last?.proxies == description.proxies)
    #expect(service.changes.erases)
    try service.store.write(service.changes) { _ in nil }
    let stored = try #require(try service.store.contents().sessions["s"]?.description.proxies)
    #expect(BackgroundValues.dictionary(stored)?["HTTPProxy"] as? String == "http://u:@a")
    #expect(!database.isReplaced)
  }

  /// A service of another version may have made it: its tasks are not this one's to drop.
  @Test func aQueueOfAnotherVersionIsLeftAlone() throws {
    let path = folder.file("queue.sqlite").path
    _ = try QueueStore(path: path)
    let database = try SQLiteDatabase(path: path)
    try database.execute("INSERT INTO task VALUES (7, 's', 1, 'download', 'o', NULL, x'', x'', NULL, NULL, NULL)")
    // "UL" and the version.
    try database.execute("PRAGMA user_version = 2; PRAGMA application_id = \(0x554C_0002)")
    #expect(throws: SQLiteError.self) { try QueueStore(path: path) }
    #expect(try database.schemaVersion() == 2 && !database.isReplaced)
    let select = try database.statement("SELECT number, session FROM task")
    #expect(try select.step() && select.integer(0) == 7 && select.text(1) == "s")
    #expect(try !select.step())
  }

  @Test func damagedRowsAreLeftOut() throws {
    var random = SeededGenerator(seed: 33)
    var state = Job.State()
    state.lastFailure = BackgroundFailure(URLError(.timedOut))
    state.endOrder = 5
    let data = state.compactData
    #expect(Job.State(compact: data) == state)
    for length in 0..<data.count { #expect(Job.State(compact: data.prefix(length)) == nil, "\(length)") }
    for round in 0..<5000 {
      var damaged = data
      damaged[Int.random(in: 0..<data.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      guard let read = Job.State(compact: damaged) else { continue }
      // Counts stay such that they can be counted on.
      #expect(read.failures >= 0 && (0...1 << 60).contains(read.endOrder ?? 0), "\(round)")
      #expect(read.progress.received >= 0, "\(round)")
    }
  }

  /// Numbers are used again.
  @Test func metricsGoWithTheirTask() throws {
    let path = folder.file("queue.sqlite").path
    let store = try QueueStore(path: path)
    let database = try SQLiteDatabase(path: path)
    try database.execute("INSERT INTO task VALUES (7, 's', 1, 'download', 'o', NULL, x'', x'', NULL, NULL, NULL)")
    let content = CompactForm.data { writer in
      writer.moment(Date(timeIntervalSinceReferenceDate: 1))
      writer.moment(Date(timeIntervalSinceReferenceDate: 2))
      // Redirects and transactions.
      writer.integer(3)
      writer.number(0)
    }
    let insert = try database.statement("INSERT INTO metrics VALUES (7, ?)")
    try insert.bind(content, at: 1)
    try insert.run()
    #expect(try store.metrics(7)?.start == Date(timeIntervalSinceReferenceDate: 1))
    try database.execute("DELETE FROM task WHERE number = 7")
    #expect(try store.metrics(7) == nil)
  }

  @Test func filesOfACommitAreRemovedByTheNextService() throws {
    let path = folder.file("queue.sqlite").path
    let file = try folder.write("download-1", Data("body".utf8))
    _ = try QueueStore(path: path)
    // As a service leaves it that is killed after the commit.
    try SQLiteDatabase(path: path).execute("INSERT INTO removal VALUES ('\(file.path)')")
    try QueueStore(path: path).finishRemovals()
    #expect(access(file.path, F_OK) != 0)
  }
}
