import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// A service that does not answer, or cannot: no call of a program waits for it.
@Suite(.timeLimit(.minutes(5))) struct UnansweringServiceTests {
  private let fixture: BackgroundFixture
  private let server: ScriptedServer

  init() throws {
    fixture = try BackgroundFixture()
    server = try ScriptedServer.http { request in
      guard request.method == "GET" || request.body == Data("body".utf8) else {
        return HTTPResponse(400, text: "other")
      }
      return HTTPResponse(text: request.target)
    }
  }

  /// What calls may take, in milliseconds, on a machine that is busy.
  private static let moment = 2500.0

  private func content(_ task: Int) -> String? {
    try? String(contentsOf: fixture.taken.appending(path: "\(task)"), encoding: .utf8)
  }

  @Test func tasksOfAStoppedServiceAreMadeAtOnceAndToldLater() async throws {
    let service = try await fixture.startService()
    service.send(signal: SIGSTOP)
    let file = fixture.directory.file("body")
    try Data("body".utf8).write(to: file)
    let program = try fixture.program(
      "test", "--made-first", "download:\(server.url("/a"))", "put:\(file.path),\(server.url("/b"))")
    #expect(try await program.says("made 2", timeout: .seconds(20)), "\(program.lines)")
    #expect(program.numbers("made").allSatisfy { $0.last < Self.moment }, "\(program.lines)")
    // What is uploaded is what the file was when the task was made: the server takes nothing else.
    try Data("other".utf8).write(to: file)
    #expect(try await program.says("known 1,2 ", timeout: .seconds(20)), "\(program.lines)")
    let waited = program.all("known").first?.split(separator: " ").last.flatMap { Double($0) } ?? 0
    #expect(waited > 4500 && waited < 10_000, "\(program.lines)")
    #expect(program.lines.contains { $0.hasPrefix("event ") }, "\(program.lines)")
    service.send(signal: SIGCONT)
    for task in 1...2 { #expect(try await program.says("ended \(task) 0 200"), "\(program.lines)") }
    await program.kill()
    await service.stop()
    await fixture.stop()
  }

  @Test func aServiceThatIsStoppedLaterKeepsNobody() async throws {
    let service = try await fixture.startService()
    let program = try fixture.program("test", "download:\(server.url("/a"))")
    #expect(try await program.says("ended 1 0 200"), "\(program.lines)")
    service.send(signal: SIGSTOP)
    // More than the socket takes.
    program.tell("many 1000 download:\(server.url("/many/" + String(repeating: "x", count: 2000)))")
    #expect(try await program.says("many ", timeout: .seconds(20)), "\(program.lines)")
    service.send(signal: SIGCONT)
    #expect(try await program.says("ended 1001 0 200", timeout: .seconds(120)), "\(program.lines.suffix(5))")
    await program.kill()
    await service.stop()
    await fixture.stop()
  }

  @Test func numbersStayUniqueWhenTheProgramIsKilledBeforeTheServiceKnows() async throws {
    let held = try OutlivingTests.slowServer(pause: 40_000)
    let service = try await fixture.startService()
    let first = try fixture.program("test", "download:\(held.url("/a"))")
    #expect(try await first.says("wrote 1"), "\(first.lines)")
    await first.kill()
    service.send(signal: SIGSTOP)
    let second = try fixture.program("test", "--made-first", "download:\(server.url("/b"))")
    #expect(try await second.says("made 2", timeout: .seconds(20)), "\(second.lines)")
    await second.kill()
    let third = try fixture.program("test", "--made-first", "download:\(server.url("/c"))")
    #expect(try await third.says("made 3", timeout: .seconds(20)), "\(third.lines)")
    service.send(signal: SIGCONT)
    #expect(try await third.says("ended 3 0 200"), "\(third.lines)")
    #expect(content(3) == "/c")
    // The first one goes on as what it was.
    #expect(try await third.says("ended 1 0"), "\(third.lines)")
    #expect(
      try TestFiles.firstDifference(in: fixture.taken.appending(path: "1"), count: 3_000_000, seed: 30) == nil)
    await third.kill()
    await service.stop()
    await fixture.stop()
  }

  @Test func twoProgramsWithOneIdentifierHaveNumbersOfTheirOwn() async throws {
    let service = try await fixture.startService()
    service.send(signal: SIGSTOP)
    var programs: [BackgroundProgram] = []
    for name in ["/a", "/b"] {
      let program = try fixture.program("test", "--made-first", "download:\(server.url(name))")
      #expect(try await program.says("made", timeout: .seconds(20)), "\(program.lines)")
      programs.append(program)
    }
    #expect(Set(programs.compactMap { $0.numbers("made").first?.first }) == [1, 2])
    service.send(signal: SIGCONT)
    for program in programs { #expect(try await program.says("ended"), "\(program.lines)") }
    let ends = programs.map { $0.all("ended").first ?? "" }
    #expect(ends.contains { $0.hasSuffix(" 0 200") } && ends.contains { $0.contains(" -996 ") }, "\(ends)")
    for program in programs { await program.kill() }
    await service.stop()
    await fixture.stop()
  }

  /// A program whose environment names another state than the service has.
  @Test func aTaskOfTheServiceIsNotTakenForOneThatHasItsNumber() async throws {
    let held = try OutlivingTests.slowServer(pause: 40_000)
    let service = try await fixture.startService()
    let first = try fixture.program("test", "download:\(held.url("/a"))")
    #expect(try await first.says("wrote 1"), "\(first.lines)")
    await first.kill()
    service.send(signal: SIGSTOP)
    let file = fixture.directory.file("body")
    try Data("body".utf8).write(to: file)
    let second = try fixture.program(
      "test", "--made-first", "download:\(server.url("/b"))", "put:\(file.path),\(server.url("/c"))",
      environment: ["XDG_STATE_HOME": fixture.directory.file("other").path])
    #expect(try await second.says("made 2", timeout: .seconds(20)), "\(second.lines)")
    service.send(signal: SIGCONT)
    // Its own first one ends, and the other is what it was.
    #expect(try await second.says("ended 1 -997"), "\(second.lines)")
    #expect(try await second.says("ended 1 0"), "\(second.lines)")
    #expect(
      try TestFiles.firstDifference(in: fixture.taken.appending(path: "1"), count: 3_000_000, seed: 30) == nil)
    #expect(!server.requests.contains { $0.target == "/b" })
    // The file has come to the service's folder.
    #expect(try await second.says("ended 2 0 200"), "\(second.lines)")
    await second.kill()
    await service.stop()
    await fixture.stop()
  }

  /// The other one is neither answered for nor cancelled.
  @Test func whatWasSaidOfACancelledTaskIsNotDoneToOneThatHasItsNumber() async throws {
    let held = try OutlivingTests.slowServer(pause: 40_000)
    let service = try await fixture.startService()
    let first = try fixture.program("test", "download:\(held.url("/a"))")
    #expect(try await first.says("wrote 1"), "\(first.lines)")
    await first.kill()
    service.send(signal: SIGSTOP)
    let second = try fixture.program(
      "test", "--made-first", "download:\(server.url("/b"))",
      environment: ["XDG_STATE_HOME": fixture.directory.file("other").path])
    #expect(try await second.says("known 1"), "\(second.lines)")
    second.tell("cancel 1")
    #expect(try await second.says("ended 1 -999"), "\(second.lines)")
    service.send(signal: SIGCONT)
    #expect(try await second.says("ended 1 0"), "\(second.lines)")
    #expect(
      try TestFiles.firstDifference(in: fixture.taken.appending(path: "1"), count: 3_000_000, seed: 30) == nil)
    #expect(!server.requests.contains { $0.target == "/b" })
    await second.kill()
    await service.stop()
    await fixture.stop()
  }

  /// The queue of a newer service.
  @Test func theEndOfATaskSaysWhyTheServiceDied() async throws {
    try fixture.storeDownload(BackgroundValues.data(of: URLRequest(url: server.url("/a"))))
    let queue = fixture.state.appending(path: "queue.sqlite")
    let handle = try FileHandle(forUpdating: queue)
    // The version and the application's number (sqlite.org/fileformat.html, 1.3), which this package derives from it.
    for (offset, change) in [(60, 1), (68, 1)] as [(UInt64, UInt8)] {
      try handle.seek(toOffset: offset)
      var bytes = try #require(try handle.read(upToCount: 4))
      bytes[3] += change
      try handle.seek(toOffset: offset)
      try handle.write(contentsOf: bytes)
    }
    try handle.close()
    let program = try fixture.program("test", "--made-first", "download:\(server.url("/b"))")
    #expect(try await program.says("made", timeout: .seconds(20)), "\(program.lines)")
    #expect(program.numbers("made").allSatisfy { $0.last < Self.moment }, "\(program.lines)")
    #expect(try await program.says("ended", timeout: .seconds(60)), "\(program.lines)")
    let end = program.all("ended").first ?? ""
    #expect(end.contains(" -997 ") && end.contains("version 2 of its tables"), "\(end)")
    await program.kill()
    await fixture.stop()
  }

  @Test(arguments: ["no program", "#!/bin/sh\necho it is no service >&2\nexit 3\n"])
  func theEndOfATaskSaysWhatIsWrongWithTheProgram(_ text: String) async throws {
    let file = fixture.directory.file("none")
    try Data(text.utf8).write(to: file)
    chmod(file.path, 0o755)
    let program = try fixture.program(
      "test", "--made-first", "download:\(server.url("/a"))", environment: ["URLLOADD": file.path])
    #expect(try await program.says("made", timeout: .seconds(20)), "\(program.lines)")
    #expect(program.numbers("made").allSatisfy { $0.last < Self.moment }, "\(program.lines)")
    #expect(try await program.says("ended", timeout: .seconds(60)), "\(program.lines)")
    let end = program.all("ended").first ?? ""
    let words = text.hasPrefix("#!") ? "it is no service" : String(cString: strerror(ENOEXEC))
    #expect(end.contains(" -997 ") && end.contains(words) && end.contains(file.path), "\(end)")
    await program.kill()
    await fixture.stop()
  }

  @Test func aStateFolderThatCannotBeMadeKeepsNobody() async throws {
    try Data().write(to: fixture.directory.file("state"))
    let file = fixture.directory.file("body")
    try Data("body".utf8).write(to: file)
    let program = try fixture.program(
      "test", "--made-first", "download:\(server.url("/a"))", "put:\(file.path),\(server.url("/b"))")
    #expect(try await program.says("known", timeout: .seconds(20)), "\(program.lines)")
    #expect(program.numbers("made").allSatisfy { $0.last < Self.moment }, "\(program.lines)")
    #expect(try await eventually(timeout: .seconds(60)) { program.all("ended").count == 2 }, "\(program.lines)")
    await program.kill()
    await fixture.stop()
  }

  /// Its tasks are the service's by then.
  @Test func aProgramThatExitsAtOnceLeavesItsTasks() async throws {
    let file = fixture.directory.file("body")
    try Data("body".utf8).write(to: file)
    let first = try fixture.program(
      "test", "--made-first", "--exit", "download:\(server.url("/a"))", "put:\(file.path),\(server.url("/b"))")
    #expect(await first.process.waitForExit(timeout: .seconds(60)) == .exited(0), "\(first.lines)")
    let second = try fixture.program()
    for task in 1...2 { #expect(try await second.says("ended \(task) 0 200"), "\(second.lines)") }
    await second.kill()
    await fixture.stop()
  }
}
