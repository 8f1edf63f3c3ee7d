import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// The wall's clock is set back by a day while the service runs, and the clocks that nobody sets are not.
@Suite(.timeLimit(.minutes(5)), .enabled(if: !Sanitizing.isOn)) struct SetClockTests {
  private static let day: Int64 = 86_400
  private let fixture: BackgroundFixture
  private let clock: SetClock
  /// Whether ``server()`` answers.
  private let answers = Watched(false)

  init() async throws {
    fixture = try BackgroundFixture()
    clock = try await SetClock()
  }

  /// One that closes connections without an answer until it is to give some.
  private func server() throws -> ScriptedServer {
    try ScriptedServer { [answers] connection in
      guard let request = try connection.readRequest(), answers.value else { return }
      try connection.send(HTTPResponse(text: "hello"), to: request)
    }
  }

  private func program(_ identifier: String = "test", _ tasks: String...) throws -> BackgroundProgram {
    try fixture.program(identifier, arguments: tasks, environment: clock.environment)
  }

  /// Sets the clock back while a task waits for its next try, of which the service says the date by its own clock.
  private func setBack() async throws {
    let control = try await fixture.control()
    let tries = { try control.jobs().filter { $0.state == "tries again" }.compactMap(\.nextTry) }
    #expect(try await eventually { try tries().contains { $0.timeIntervalSinceNow > -600 } })
    try clock.set(ahead: -Self.day)
    #expect(
      try await eventually {
        try tries().contains { abs($0.timeIntervalSinceNow + Double(Self.day)) < 600 }
      }, "the clock of the service is not set")
  }

  @Test func aTaskIsTriedAgainAfterSeconds() async throws {
    let server = try server()
    let program = try program("test", "download:\(server.url("/a"))")
    #expect(await server.waitForRequests(2, timeout: .seconds(60)), "\(program.lines)")
    try await setBack()
    answers.update { $0 = true }
    #expect(try await program.says("ended 1 0 200", timeout: .seconds(60)), "\(program.lines)")
    await program.kill()
    await fixture.stop()
  }

  /// The date of the next try is in the queue, a day ahead of the clock of the service that reads it.
  @Test func aTaskIsTriedAgainBySecondsOfTheNextService() async throws {
    let server = try server()
    let program = try program("test", "download:\(server.url("/a"))")
    #expect(await server.waitForRequests(2, timeout: .seconds(60)), "\(program.lines)")
    try await setBack()
    try await fixture.killService()
    answers.update { $0 = true }
    #expect(try await program.says("ended 1 0 200", timeout: .seconds(60)), "\(program.lines)")
    await program.kill()
    await fixture.stop()
  }

  @Test func whatTheRateHoldsBackGoesOnAfterSeconds() async throws {
    // It shows that the service goes by the clock.
    let failing = try server()
    let witness = try program("witness", "download:\(failing.url("/a"))")
    #expect(await failing.waitForRequests(1, timeout: .seconds(60)), "\(witness.lines)")
    _ = try await fixture.control().set(BackgroundLimits(bytesPerSecond: 100_000))
    let body = TestFiles.pattern(count: 800_000, seed: 49)
    let isSet = Watched(false)
    let server = try ScriptedServer { connection in
      guard try connection.readRequest() != nil else { return }
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
      try connection.send(body.dropLast(1000))
      // The end waits for the clock, on a slow machine as well.
      _ = isSet.waitBlocking(timeout: .seconds(120)) { $0 }
      try connection.send(body.suffix(1000))
    }
    let program = try program("test", "download:\(server.url("/a"))")
    #expect(try await program.says("wrote 1", timeout: .seconds(60)), "\(program.lines)")
    try await setBack()
    #expect(program.all("ended").isEmpty, "\(program.lines)")
    isSet.update { $0 = true }
    #expect(try await program.says("ended 1 0 200", timeout: .seconds(60)), "\(program.lines)")
    #expect(try TestFiles.firstDifference(in: fixture.taken.appending(path: "1"), count: body.count, seed: 49) == nil)
    for program in [witness, program] { await program.kill() }
    await fixture.stop()
  }
}
