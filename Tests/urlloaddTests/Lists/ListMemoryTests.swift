import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// What a long list takes in memory: 100,000 tasks with `make soak`, a few in the tests.
@Suite(.timeLimit(.minutes(30)), .disabled(if: Sanitizing.isOn)) struct ListMemoryTests {
  private let fixture: BackgroundFixture

  init() throws { fixture = try BackgroundFixture() }

  @Test func itIsBounded() async throws {
    let count = SoakSettings.listedTasks
    // Half have ended, some of which have large heads; the others wait.
    try fixture.storeEnded(1...count / 2) { $0.isMultiple(of: 500) ? 200_000 : 1000 }
    try fixture.storeWaiting(count / 2 + 1...count)
    let log = fixture.directory.file("service.log")
    let service = try ChildProcess(
      BuiltProgram.path("urlloadd"), ["--idle-seconds", "0"], environment: fixture.environment, output: log, error: log)
    let control = try await fixture.control()
    let other = try fixture.program("other", "--quiet")
    #expect(try await other.says("attached 0"), "\(other.lines)")
    let least = try Memory(of: other.process.processID).largest
    let idle = try Memory(of: service.processID, forgettingLargest: true).resident
    let begin = ContinuousClock.now
    let program = try fixture.program("test", "--quiet")
    let hasFinished = try await eventually(timeout: .seconds(1200), interval: .milliseconds(200)) {
      program.lines.contains("finished-events")
    }
    #expect(hasFinished, "\(program.lines.suffix(3)) \(program.all("ends").last ?? "")")
    let (used, served) = try (
      Memory(of: program.process.processID).largest - least, Memory(of: service.processID).largest - idle
    )
    print(
      "\(count) tasks, \(ContinuousClock.now - begin): program \(used >> 20) MiB more than \(least >> 20), service \(served >> 20) MiB more than \(idle >> 20), attached: \(program.all("attached"))"
    )
    #expect(used <= count * 4096 + 64 << 20)
    #expect(served <= 64 << 20)
    #expect(try await eventually(timeout: .seconds(60)) { try control.jobs().count == count - count / 2 })
    for program in [other, program] { await program.kill() }
    await service.stop()
    await fixture.stop()
  }

  /// Bytes of a process (proc(5)).
  private struct Memory {
    let resident: Int
    let largest: Int

    init(of process: pid_t, forgettingLargest forgets: Bool = false) throws {
      if forgets { try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/\(process)/clear_refs")) }
      let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
      func value(_ name: String) throws -> Int {
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("\(name):") })
        return try #require(line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }) * 1024
      }
      resident = try value("VmRSS")
      largest = try value("VmHWM")
    }
  }
}
