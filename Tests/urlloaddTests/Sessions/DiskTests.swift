import Foundation
import Testing
import URLLoading
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

  private func eventuallySome<Value>(_ make: () -> Value?) async throws -> Value {
    for _ in 0..<3000 {
      if let value = make() { return value }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw TestServerError("nothing came")
  }
}
