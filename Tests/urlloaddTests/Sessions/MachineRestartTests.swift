import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@testable import urlloadd

/// What a service makes of the files of an earlier one: after a restart of the machine, what was not written through may be anything.
@Suite(.timeLimit(.minutes(5))) struct MachineRestartTests {
  private static let size = 3_000_000
  /// What the queue knows to be on the disk.
  private static let synced = 200_000
  /// In microseconds, between two pieces of the body: half of it takes several reports of progress.
  private static let pause: useconds_t = 10_000
  private let fixture: BackgroundFixture

  init() throws { fixture = try BackgroundFixture() }

  /// Has a service be killed in the middle of a download, and changes what it has left.
  private func leave(
    from server: ScriptedServer, _ change: (Job, URL, inout StoredJob.Resumption) throws -> Void
  ) async throws {
    try await fixture.leave("test", "download:\(server.url("/a"))")
    let control = try await fixture.control()
    // What a later service needs is committed before.
    #expect(try await eventually { try control.jobs().contains { $0.progress.received > 2 * Int64(Self.synced) } })
    try await fixture.killService()
    let store = try QueueStore(path: fixture.state.appending(path: "queue.sqlite").path)
    let job = try #require(try store.contents().jobs.first)
    var resumption = try #require(try store.stored(job.number)?.resumption)
    #expect(resumption.boot == MachineBoot.identifier && !resumption.boot.isEmpty)
    let file = try #require(resumption.file)
    resumption.syncedLength = Int64(Self.synced)
    try change(job, URL(fileURLWithPath: file), &resumption)
    var changes = QueueChanges()
    changes.tasks = [job.number]
    changes.blobs[job.number] = QueueChanges.Blobs(resumption: resumption)
    try store.write(changes) { $0 == job.number ? job : nil }
  }

  /// Writes nonsense over what is not known to be on the disk.
  private static func spoil(_ file: URL, from offset: Int, to end: Int) throws {
    let handle = try FileHandle(forWritingTo: file)
    try handle.seek(toOffset: UInt64(offset))
    try handle.write(contentsOf: Data(repeating: 0xA5, count: end - offset))
    try handle.close()
  }

  /// Has the next service end the download.
  /// - Returns: the range that it has asked for; nil for all.
  private func rangeOfTheNext(_ server: ScriptedServer) async throws -> String? {
    let program = try fixture.program()
    #expect(try await program.says("ended 1 0 20", timeout: .seconds(60)), "\(program.lines)")
    let file = fixture.taken.appending(path: "1")
    #expect(try TestFiles.firstDifference(in: file, count: Self.size, seed: 30) == nil)
    #expect(server.requests.count == 2, "\(server.requests)")
    await program.kill()
    await fixture.stop()
    return server.requests.last?.fields["Range"]
  }

  /// - Parameter more: in bytes, what the file system has made of the file's end.
  @Test(arguments: [0, 100_000]) func whatMayNotBeOnTheDiskIsLoadedAgain(more: Int) async throws {
    let server = try OutlivingTests.slowServer(pause: Self.pause, held: 1)
    try await leave(from: server) { _, file, resumption in
      let length = try #require(try file.resourceValues(forKeys: [.fileSizeKey]).fileSize)
      try #require(length > Self.synced)
      try Self.spoil(file, from: Self.synced, to: length + more)
      resumption.boot = "an earlier one"
    }
    #expect(try await rangeOfTheNext(server) == "bytes=\(Self.synced)-")
  }

  @Test func aFileThatHasLessIsContinuedThere() async throws {
    let server = try OutlivingTests.slowServer(pause: Self.pause, held: 1)
    try await leave(from: server) { _, file, resumption in
      try #require(truncate(file.path, 150_000) == 0)
      resumption.boot = "an earlier one"
    }
    #expect(try await rangeOfTheNext(server) == "bytes=150000-")
  }

  @Test func whileTheMachineRunsNothingIsLost() async throws {
    let server = try OutlivingTests.slowServer(pause: Self.pause, held: 1)
    let length = Watched(0)
    try await leave(from: server) { _, file, _ in
      let size = try #require(try file.resourceValues(forKeys: [.fileSizeKey]).fileSize)
      length.update { $0 = size }
    }
    #expect(length.value > 2 * Self.synced)
    #expect(try await rangeOfTheNext(server) == "bytes=\(length.value)-")
  }

  /// It had its place, and was not written through when the machine stopped.
  @Test func aWholeBodyIsNotTaken() async throws {
    let server = try OutlivingTests.slowServer(pause: Self.pause, held: 1)
    try await leave(from: server) { job, file, resumption in
      let body = URL(fileURLWithPath: TransferSession.bodyPath(job.number, in: file.deletingLastPathComponent().path))
      try FileManager.default.moveItem(at: file, to: body)
      try Self.spoil(body, from: 0, to: Self.size)
      resumption.boot = "an earlier one"
    }
    #expect(try await rangeOfTheNext(server) == nil)
  }
}
