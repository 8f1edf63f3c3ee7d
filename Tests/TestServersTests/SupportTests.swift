import Foundation
import Glibc
import Testing
import URLLoadingTestServers

@Suite struct SupportTests {
  @Test func patternsAreTheSameAtAnyOffset() throws {
    let whole = TestFiles.pattern(count: 3_000_000, seed: 7)
    let part = TestFiles.pattern(count: 1_500_000, seed: 7, offset: 1_234_567)
    #expect(difference(part, from: whole[1_234_567..<2_734_567]) == nil)
    #expect(TestFiles.pattern(count: 100, seed: 8) != whole.prefix(100))
    var other = whole
    other[2_000_000] ^= 1
    #expect(TestFiles.firstDifference(whole, other) == 2_000_000)
    let folder = try TemporaryDirectory()
    let file = try folder.write("file", other)
    #expect(try TestFiles.firstDifference(in: file, count: 3_000_000, seed: 7) == 2_000_000)
    #expect(try TestFiles.firstDifference(in: file, count: 1_000_000, seed: 7) == 1_000_000)
    try TestFiles.write(count: 3_000_000, seed: 7, to: file)
    #expect(try TestFiles.firstDifference(in: file, count: 3_000_000, seed: 7) == nil)
    #expect(try TestFiles.firstDifference(in: file, count: 3_000_001, seed: 7) == 3_000_000)
  }

  @Test func eventsWakeWaiters() async {
    let event = AsyncEvent()
    #expect(await event.wait(timeout: .milliseconds(10)) == false)
    async let waited = event.wait()
    event.signal()
    #expect(await waited)
    #expect(await event.wait(timeout: .zero))
  }

  @Test func waitingEndsWithItsTask() async {
    let value = Watched(0)
    let task = Task { await value.wait(timeout: .seconds(60)) { $0 == 1 } }
    task.cancel()
    #expect(await task.value == false)
  }

  @Test func commandsRun() async throws {
    let outcome = try await Command.run(
      "sh", ["-c", "cat; echo \"$NAME\" >&2; exit 3"], input: Data("in".utf8), environment: ["NAME": "value"])
    #expect(outcome.status == .exited(3))
    #expect(outcome.text == "in" && outcome.error == "value\n")
    #expect(try await Command.run("sh", ["-c", "kill -9 $$"]).status == .signalled(SIGKILL))
    await #expect(throws: TestServerError.self) {
      try await Command.run("sleep", ["60"], timeout: .milliseconds(50))
    }
    await #expect(throws: TestServerError.self) { try await Command.run("no-such-program", []) }
  }

  @Test func processesEndWithTheirGroup() async throws {
    let folder = try TemporaryDirectory()
    let pidFile = folder.file("pid")
    // The shell is killed, and cannot take its own child with it.
    let process = try ChildProcess(
      "sh", ["-c", "sleep 60 & echo $! > \(pidFile.path); wait"], output: folder.file("out"), error: folder.file("err"))
    var child: pid_t = 0
    let started = try await eventually {
      child = (try? String(contentsOf: pidFile, encoding: .utf8)).flatMap { pid_t($0.dropLast()) } ?? 0
      return child > 0
    }
    #expect(started)
    #expect(process.peakResidentBytes.map { $0 > 100_000 } == true)
    process.send(signal: SIGKILL)
    #expect(await process.waitForExit() == .signalled(SIGKILL))
    let ended = try await eventually { kill(child, 0) != 0 || Self.isZombie(child) }
    #expect(ended)
  }

  @Test func failedStartsTellWhy() async throws {
    let directory = try TemporaryDirectory()
    let error = await #expect(throws: TestServerError.self) {
      _ = try await ServerProcess.start(
        "false", "sh", ["-c", "echo reason >&2; exit 1"], directory: directory, ports: [try FreePort.pick()])
    }
    #expect(error?.description.contains("reason") == true)
  }

  private static func isZombie(_ pid: pid_t) -> Bool {
    (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8))?.contains(") Z ") ?? true
  }
}
