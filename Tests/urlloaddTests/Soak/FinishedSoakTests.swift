import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Many downloads end while no program is there; programs and services are killed while the ends are told. Each end comes, and none again that
/// the service knows to be taken.
@Suite(.serialized, .timeLimit(.minutes(SoakSettings.isWhole ? 60 : 5))) struct FinishedSoakTests {
  private let fixture: BackgroundFixture
  private let count = SoakSettings.finishedTasks

  init() throws { fixture = try BackgroundFixture() }

  @Test func everyEndIsHeardOf() async throws {
    var random = SeededGenerator(seed: UInt64(count))
    let server = try ScriptedServer.http { request in HTTPResponse(text: "body of \(request.path)") }
    let maker = try fixture.program("test", "--many", String(count), "download:\(server.url("/"))")
    // All are stored, and resumed.
    #expect(
      try await comes {
        try self.jobs().contains { $0.number == self.count && $0.state != "suspended" }
          || KilledRun(maker.lines).ends.contains(self.count)
      })
    var runs = [try await end(maker, server)]
    for _ in 0..<SoakSettings.kills {
      try await Task.sleep(for: .milliseconds(Int.random(in: 0..<400, using: &random)))
      try await fixture.killService()
      // Nobody else starts it.
      let starter = try fixture.program("starter")
      starter.tell("tasks")
      #expect(try await starter.says("tasks"), "\(starter.lines)")
      await starter.kill()
    }
    #expect(try await comes { try self.jobs().allSatisfy { $0.hasEnded } })
    for round in 0..<SoakSettings.kills {
      let program = try fixture.program()
      let most = Int.random(in: 1...max(1, count / SoakSettings.kills), using: &random)
      #expect(
        try await comes { try KilledRun(program.lines).ends.count >= most || self.jobs().isEmpty })
      if round.isMultiple(of: 2) { try await fixture.killService() }
      runs.append(try await end(program, server))
    }
    let last = try fixture.program()
    #expect(try await comes { try self.jobs().isEmpty }, "\(last.lines.suffix(5))")
    runs.append(try await end(last, server))
    try check(runs)
    #expect(try await comes { self.fixture.files.isEmpty }, "\(fixture.files.prefix(5))")
    await fixture.stop()
  }

  private func jobs() throws -> [BackgroundJob] { try BackgroundControl(at: fixture.place).jobs() }

  /// Kills a program. What it has heard of and the queue has no more was taken.
  private func end(_ program: BackgroundProgram, _ server: ScriptedServer) async throws -> KilledRun {
    let heard = KilledRun(program.lines).ends
    let urls = (try? jobs()).map { Set($0.map(\.url)) }
    await program.kill()
    let taken = heard.filter { urls?.contains(server.url("/\($0 - 1)").absoluteString) == false }
    return KilledRun(program.lines, taken: Set(taken))
  }

  private func check(_ runs: [KilledRun]) throws {
    var taken: Set<Int> = []
    for run in runs {
      #expect(run.repeated.isEmpty)
      #expect(taken.isDisjoint(with: run.ends), "\(taken.intersection(run.ends))")
      taken.formUnion(run.taken)
    }
    let ends = runs.flatMap(\.lines).filter { $0.hasPrefix("ended ") }
    #expect(ends.allSatisfy { $0.hasSuffix(" 0 200") }, "\(ends.filter { !$0.hasSuffix(" 0 200") }.prefix(5))")
    #expect(Set(runs.flatMap(\.ends)) == Set(1...count))
    for number in 1...count {
      let text = try String(contentsOf: fixture.taken.appending(path: String(number)), encoding: .utf8)
      #expect(text == "body of /\(number - 1)")
    }
  }

  private func comes(_ condition: () throws -> Bool) async throws -> Bool {
    try await eventually(timeout: SoakSettings.limit, interval: SoakSettings.isWhole ? .seconds(1) : .milliseconds(50))
    {
      (try? condition()) == true
    }
  }
}
