import Foundation
import Testing
import URLLoadingTestServers

/// The service and its program are killed again and again: every transfer is whole at the end, and no event is lost.
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
    var lines: [String] = []
    var made = 0
    var program = try fixture.program()
    for round in 0..<kills {
      // A few at a time, so that there is work at each kill.
      if made < count {
        await program.kill()
        lines += program.lines
        made += 2
        program = try fixture.program(
          "test", "download:\(server.url("/\(made)"))", "upload:\(source.path),\(uploads.url("/\(made)"))")
        #expect(try await program.says("resumed \(made)"), "round \(round): \(program.lines)")
      }
      try await Task.sleep(for: .milliseconds(Int.random(in: 0..<400, using: &random)))
      if round % 3 == 2 {
        await program.kill()
        lines += program.lines
        program = try fixture.program()
      }
      try await fixture.killService()
    }
    let total = made
    #expect(
      try await eventually(timeout: .seconds(120)) {
        let ended = Set(
          (lines + program.lines).filter { $0.hasPrefix("ended ") }.compactMap {
            $0.split(separator: " ").dropFirst().first
          })
        return ended.count >= total
      }, "\(program.lines.suffix(20))")
    await program.kill()
    lines += program.lines
    for number in 1...made {
      let ends = lines.filter { $0.hasPrefix("ended \(number) ") }
      // A kill of the program in its method repeats the event.
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
