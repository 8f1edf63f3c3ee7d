import Foundation
import Testing
import URLLoading
import URLLoadingSQLite
import URLLoadingTestServers

/// Disks that are full for a while.
@Suite(.timeLimit(.minutes(5))) struct DiskTests {
  private let fixture: BackgroundFixture

  init() throws { fixture = try BackgroundFixture() }

  private func isTaken() throws -> Bool {
    try TestFiles.firstDifference(in: fixture.taken.appending(path: "1"), count: 3_000_000, seed: 30) == nil
  }

  @Test func downloadsLeaveTheRoomFreeThatTheyAreTo() async throws {
    let server = try OutlivingTests.slowServer(pause: 0)
    let idle = try fixture.program("idle")
    let control = try await eventuallySome { try? BackgroundControl(at: fixture.place) }
    _ = try control.set(BackgroundLimits(freeSpace: .max / 4))
    let program = try fixture.program("test", "download:\(server.url("/a"))")
    #expect(try await eventually { try control.jobs().contains { $0.failure?.contains("are to stay free") == true } })
    #expect(server.requests.isEmpty)
    _ = try control.set(BackgroundLimits(freeSpace: 0))
    let job = try #require(try control.jobs().first)
    try control.retry(job.number)
    #expect(try await program.says("ended 1 0 200"), "\(program.lines)")
    #expect(try isTaken())
    for program in [idle, program] { await program.kill() }
    await fixture.stop()
  }

  /// A program copies what it uploads, whether it has heard of the service or not.
  @Test func copiesLeaveTheRoomFreeThatTheyAreTo() async throws {
    let server = try ScriptedServer.http { request in HTTPResponse(text: "\(request.body.count)") }
    // On another file system than the copy's: a clone takes no room.
    let source = URL(fileURLWithPath: "/dev/shm/url-loading-\(UInt64.random(in: 0 ... .max))")
    try Data(count: 100_000).write(to: source)
    defer { try? FileManager.default.removeItem(at: source) }
    let idle = try fixture.program("idle")
    let control = try await eventuallySome { try? BackgroundControl(at: fixture.place) }
    _ = try control.set(BackgroundLimits(freeSpace: .max / 4))
    let task = "upload:\(source.path),\(server.url("/a"))"
    let program = try fixture.program("test", task)
    let code = URLError.Code.cannotWriteToFile.rawValue
    #expect(try await program.says("ended"), "\(program.lines)")
    let end = try #require(program.all("ended").first)
    #expect(end.contains(" \(code) ") && end.contains("are to stay so"), "\(end)")
    #expect(fixture.files.isEmpty && server.requests.isEmpty, "\(fixture.files)")
    // The next service goes by it, too.
    try await fixture.killService()
    let next = try fixture.program("next", task)
    #expect(try await next.says("ended"), "\(next.lines)")
    #expect(next.all("ended").first?.contains("are to stay so") == true, "\(next.lines)")
    _ = try await fixture.control().set(BackgroundLimits(freeSpace: 0))
    next.tell("make \(task)")
    #expect(try await eventually { next.all("ended").contains { $0.hasSuffix(" 0 200") } }, "\(next.lines)")
    for program in [idle, program, next] { await program.kill() }
    await fixture.stop()
  }

  /// Holes take no room, in the copy as in the original.
  @Test func aCopyHasTheHolesOfItsOriginal() async throws {
    let source = fixture.directory.file("source").path
    let descriptor = open(source, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    // Most disks have less.
    #expect(ftruncate(descriptor, 1 << 42) == 0 && pwrite(descriptor, "x", 1, 1 << 41) == 1)
    close(descriptor)
    let program = try fixture.program("test", "upload:\(source),http://127.0.0.1:9/")
    #expect(try await eventually { fixture.files.contains { $0.hasPrefix("upload-") } }, "\(program.lines)")
    #expect(try await program.says("resumed 1"), "\(program.lines)")
    let copy = try #require(fixture.files.first { $0.hasPrefix("upload-") })
    var status = stat()
    #expect(stat(fixture.state.appending(path: "files/\(copy)").path, &status) == 0)
    #expect(status.st_size == 1 << 42 && status.st_blocks < 1000, "\(status.st_size) \(status.st_blocks)")
    await program.kill()
    await fixture.stop()
  }

  @Test func aWriteThatFailsIsTriedAgain() async throws {
    let server = try OutlivingTests.slowServer(pause: 0)
    let sign = try fixture.directory.write("full", "")
    let starter = try ProgramStarter(in: fixture.directory, fullWhile: sign)
    let program = try fixture.program(
      "test", "download:\(server.url("/a"))", environment: ["URLLOADD": starter.path])
    let control = try await eventuallySome { try? BackgroundControl(at: fixture.place) }
    #expect(
      try await eventually { try control.jobs().contains { $0.state == "tries again" && $0.failure != nil } },
      "\(program.lines)")
    #expect(program.all("ended").isEmpty)
    try FileManager.default.removeItem(at: sign)
    try await fixture.killService()
    #expect(try await program.says("ended 1 0"), "\(program.lines)")
    #expect(try isTaken())
    await program.kill()
    await fixture.stop()
  }

  @Test(.enabled(if: !Sanitizing.isOn)) func aTaskIsRefusedWhoseRequestHasNoRoomInTheQueue() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "body") }
    // The files of the queue are there when the limit is set: the log has no room for one large row more.
    let first = try fixture.program("first", "download:\(server.url("/first"))")
    #expect(try await first.says("ended 1 0 200"), "\(first.lines)")
    await first.kill()
    try await fixture.killService()
    let starter = try ProgramStarter(
      in: fixture.directory, preparation: "\(ProgramStarter.outlivesFileLimit); ulimit -f 128")
    let token = String(repeating: "t", count: 100_000)
    let program = try fixture.program(
      "test", "--token", token, "download:\(server.url("/a"))",
      environment: ["URLLOADD": starter.path])
    let code = URLError.Code.cannotWriteToFile.rawValue
    #expect(try await program.says("ended 1 \(code)"), "\(program.lines)")
    #expect(server.requests.map(\.path) == ["/first"])
    await program.kill()
    // With room, the same is loaded.
    try await fixture.killService()
    let last = try fixture.program(
      "test", "--token", token, "download:\(server.url("/b"))")
    #expect(try await last.says("ended 2 0 200"), "\(last.lines)")
    await last.kill()
    await fixture.stop()
  }

  /// Else its request would be sent, though its program hears that there is no task.
  @Test func aTaskThatCannotBeStoredIsNotBegun() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "body") }
    let program = try fixture.program("test", "download:\(server.url("/a"))")
    #expect(try await program.says("ended 1 0 200"), "\(program.lines)")
    let control = try BackgroundControl(at: fixture.place)
    #expect(try await eventually { try control.jobs().isEmpty })
    // Whoever writes to the file keeps the service from it, for longer than it waits.
    let options = SQLiteDatabase.Options(busyTimeout: .seconds(5), isDurable: true, erasesWhatIsDeleted: true)
    let database = try SQLiteDatabase(path: fixture.state.appending(path: "queue.sqlite").path, options: options)
    try database.statement("BEGIN IMMEDIATE").run()
    // While the first one is waited for, all that is said of the second one comes, and is taken in one turn.
    for path in ["/b", "/c"] { program.tell("make download:\(server.url(path))") }
    let code = URLError.Code.cannotWriteToFile.rawValue
    for number in [2, 3] { #expect(try await program.says("ended \(number) \(code)"), "\(program.lines)") }
    #expect(server.requests.map(\.path) == ["/a"])
    try database.statement("ROLLBACK").run()
    program.tell("make download:\(server.url("/d"))")
    #expect(try await program.says("ended 4 0 200"), "\(program.lines)")
    #expect(server.requests.map(\.path) == ["/a", "/d"])
    await program.kill()
    await fixture.stop()
  }

  private func eventuallySome<Value>(_ make: () -> Value?) async throws -> Value {
    for _ in 0..<3000 {
      if let value = make() { return value }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw TestServerError("nothing came")
  }
}
