import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Lists between the service and a program that have no room in one message, nor in one buffer.
@Suite(.timeLimit(.minutes(10))) struct LongListTests {
  private let fixture: BackgroundFixture

  init() throws { fixture = try BackgroundFixture() }

  /// - Parameter head: bytes of each response's head.
  @Test(arguments: [(200, 200_000), SoakSettings.isWhole ? (10_000, 4_000) : (1_000, 40_000)])
  func everyEndIsHeardOfOnce(count: Int, head: Int) async throws {
    try fixture.storeEnded(1...count) { _ in head }
    let program = try fixture.program()
    #expect(try await finishes(program), "\(program.lines.suffix(5))")
    let run = KilledRun(program.lines)
    // In the order in which they have ended.
    #expect(run.ends == Array(1...count) && run.repeated.isEmpty)
    #expect(program.all("ended").allSatisfy { $0.hasSuffix(" 0 200") })
    let texts = try (1...count).map { try String(contentsOf: fixture.taken.appending(path: "\($0)"), encoding: .utf8) }
    #expect(texts == (1...count).map { String($0) })
    let control = try await fixture.control()
    #expect(try await eventually(timeout: .seconds(60)) { try control.jobs().isEmpty })
    await program.kill()
    let next = try fixture.program()
    next.tell("tasks")
    #expect(try await next.says("tasks"))
    #expect(next.lines == ["tasks "])
    await next.kill()
    await fixture.stop()
  }

  @Test func waitingTasksWithLargeBodiesAreAttachedTo() async throws {
    try fixture.storeWaiting(1...100, body: 500_000)
    let program = try fixture.program("test", "--quiet")
    #expect(try await program.says("attached", timeout: .seconds(60)), "\(program.lines)")
    #expect(program.all("attached").first?.hasPrefix("100 ") == true, "\(program.lines)")
    program.tell("tasks")
    #expect(try await program.says("tasks"))
    #expect(program.all("tasks") == [(1...100).map(String.init).joined(separator: ",")], "\(program.lines)")
    await program.kill()
    await fixture.stop()
  }

  /// The connection stays, and so does everything else that goes over it.
  @Test func aHeadThatNoMessageHoldsEndsItsTask() async throws {
    try fixture.storeEnded(1...3) { $0 == 2 ? 1_200_000 : 100 }
    let program = try fixture.program()
    #expect(try await finishes(program), "\(program.lines)")
    let ends = program.all("ended")
    #expect(ends.count == 3 && ends.first == "1 0 200" && ends.last == "3 0 200", "\(ends)")
    #expect(
      ends.dropFirst().first?.hasPrefix("2 \(URLError.Code.dataLengthExceedsMaximum.rawValue) ") == true, "\(ends)")
    #expect(program.all("file") == ["1", "3"], "\(program.lines)")
    await program.kill()
    #expect(try await eventually { fixture.files.isEmpty }, "\(fixture.files)")
    await fixture.stop()
  }

  /// For people: `urlload jobs`.
  @Test func everyJobIsListed() async throws {
    try fixture.storeWaiting(1...450, path: String(repeating: "u", count: 5000))
    let program = try fixture.program("other")
    let jobs = try await fixture.control().jobs()
    #expect(jobs.map(\.number) == Array(1...450))
    await program.kill()
    await fixture.stop()
  }

  private func finishes(_ program: BackgroundProgram) async throws -> Bool {
    try await eventually(timeout: .seconds(120), interval: .milliseconds(200)) {
      program.lines.contains("finished-events")
    }
  }
}
