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

  /// The limit on the size of files stands for a disk without room: writes fail in the middle of a piece.
  @Test func aWriteThatFailsIsTriedAgain() async throws {
    let server = try OutlivingTests.slowServer(pause: 0)
    let (script, sign) = (fixture.directory.file("limited.sh"), fixture.directory.file("full"))
    try Data().write(to: sign)
    try Data(
      """
      #!/bin/sh
      if [ -e '\(sign.path)' ]; then trap '' XFSZ; ulimit -f 2000; fi
      exec '\(BuiltProgram.path("urlloadd"))' "$@"
      """.utf8
    ).write(to: script)
    chmod(script.path, 0o700)
    let program = try fixture.program(
      "test", "download:\(server.url("/a"))", environment: ["URLLOADD": script.path])
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
