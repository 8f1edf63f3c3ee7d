import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// The service and its program are killed again and again: every transfer is whole at the end, no event is lost, and none comes again that
/// the service knows to be taken.
/// `URL_LOADING_KILLS` says how often; `make kill-test` sets it.
@Suite(.timeLimit(.minutes(30))) struct BackgroundKillTests {
  private let fixture: BackgroundFixture
  private static let size = 1_500_000

  init() throws { fixture = try BackgroundFixture() }

  @Test func everythingArrives() async throws {
    let kills = ProcessInfo.processInfo.environment["URL_LOADING_KILLS"].flatMap { Int($0) } ?? 6
    var random = SeededGenerator(seed: UInt64(kills))
    let body = TestFiles.pattern(count: Self.size, seed: 30)
    let server = try OutlivingTests.slowServer(body, pause: 4000)
    let uploads = try ScriptedServer.http { request in
      request.body == body ? HTTPResponse(text: "ok") : HTTPResponse(400, text: "not whole")
    }
    let source = fixture.directory.file("source")
    try body.write(to: source)
    let count = max(6, kills / 4)
    var runs: [KilledRun] = []
    var made = 0
    var program = try fixture.program()
    // The tasks of a pair, a download and an upload, have URLs that end in the second one's number.
    func end(_ program: BackgroundProgram) async {
      let queue = try? BackgroundControl(at: fixture.place)
      // Asked for in this order: of an end that is among the lines, the queue says whether it was taken.
      let heard = KilledRun(program.lines).ends
      let urls = try? queue?.jobs().map(\.url)
      await program.kill()
      let taken = heard.filter { number in
        let url = number % 2 == 1 ? server.url("/\(number + 1)") : uploads.url("/\(number)")
        return urls?.contains(url.absoluteString) == false
      }
      runs.append(KilledRun(program.lines, taken: Set(taken)))
    }
    for round in 0..<kills {
      // A few at a time, so that there is work at each kill.
      if made < count {
        await end(program)
        made += 2
        program = try fixture.program(
          "test", "download:\(server.url("/\(made)"))", "upload:\(source.path),\(uploads.url("/\(made)"))")
        #expect(try await program.says("resumed \(made)"), "round \(round): \(program.lines)")
      }
      try await Task.sleep(for: .milliseconds(Int.random(in: 0..<400, using: &random)))
      if round % 3 == 2 {
        await end(program)
        program = try fixture.program()
      }
      try await fixture.killService()
    }
    let total = made
    let before = Set(runs.flatMap(\.ends))
    #expect(
      try await eventually(timeout: .seconds(120)) {
        before.union(KilledRun(program.lines).ends).count >= total
      }, "\(program.lines.suffix(20))")
    await end(program)
    var taken: Set<Int> = []
    for run in runs {
      // However often the service is killed meanwhile.
      #expect(run.repeated.isEmpty, "\(run.lines)")
      // Only a program that was killed before the service knew that its method had returned leaves the event to the next one.
      #expect(taken.isDisjoint(with: run.ends), "\(taken.intersection(run.ends)) in \(run.lines)")
      taken.formUnion(run.taken)
    }
    let lines = runs.flatMap(\.lines)
    for number in 1...made {
      let ends = lines.filter { $0.hasPrefix("ended \(number) ") }
      #expect(!ends.isEmpty && ends.allSatisfy { $0.hasPrefix("ended \(number) 0 20") }, "\(number): \(ends)")
      guard number % 2 == 1 else { continue }
      let difference = try TestFiles.firstDifference(
        in: fixture.taken.appending(path: "\(number)"), count: Self.size, seed: 30)
      #expect(difference == nil, "\(number)")
    }
    // What is left belongs to no task.
    let last = try fixture.program()
    last.tell("tasks")
    #expect(try await last.says("tasks"))
    #expect(last.lines == ["tasks "], "\(last.lines)")
    await last.kill()
    await fixture.stop()
  }
}
