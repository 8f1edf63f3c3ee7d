import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// The limit on bytes a second, in running services.
@Suite(.timeLimit(.minutes(5))) struct RateTests {
  private let fixture: BackgroundFixture

  init() throws { fixture = try BackgroundFixture() }

  /// None of them is there long enough to be held back: those that follow wait instead.
  @Test func aQueueOfSmallFilesKeepsTheLimit() async throws {
    let (size, count, rate) = (50_000, 20, 100_000)
    let body = TestFiles.pattern(count: size, seed: 35)
    let server = try ScriptedServer.http { _ in HTTPResponse(body: body) }
    let idle = try fixture.program("idle")
    let limits = try await fixture.control().set(BackgroundLimits(transfersPerHost: 4, bytesPerSecond: Int64(rate)))
    #expect(limits.bytesPerSecond == Int64(rate))
    let clock = ContinuousClock()
    let begin = clock.now
    let program = try fixture.program("test", "--many", "\(count)", "download:\(server.url("/a"))")
    #expect(
      try await eventually(timeout: .seconds(120)) { program.all("ended").count == count }, "\(program.lines)")
    // Four of them may be over at once; a quarter of a second may be owed before the next ones wait.
    let leastSeconds = Double((count - 4) * size) / Double(rate) - 0.25 - 1
    #expect(clock.now - begin > .seconds(leastSeconds))
    #expect(program.all("ended").allSatisfy { $0.hasSuffix(" 0 200") }, "\(program.lines)")
    for program in [idle, program] { await program.kill() }
    await fixture.stop()
  }

  @Test func whatIsHeldBackGoesOnWhenTheLimitIsGone() async throws {
    // More than the burst comes while the server is not done.
    let server = try OutlivingTests.slowServer(pause: 20_000)
    let idle = try fixture.program("idle")
    let control = try await fixture.control()
    // Some piece of the body alone is paid for with more than the time that this test has.
    _ = try control.set(BackgroundLimits(bytesPerSecond: 50))
    let program = try fixture.program("test", "download:\(server.url("/a"))")
    #expect(try await program.says("wrote", timeout: .seconds(60)), "\(program.lines)")
    // One that begins meanwhile waits: the limit is that of all.
    let other = try fixture.program("other", "download:\(server.url("/b"))")
    // The turn that takes its command would begin it, too.
    #expect(try await eventually { try control.jobs().contains { $0.session == "other" && $0.state == "waits" } })
    #expect(try control.jobs().allSatisfy { !$0.hasEnded })
    #expect(server.requests.map(\.path) == ["/a"])
    _ = try control.set(BackgroundLimits(bytesPerSecond: 0))
    for program in [program, other] {
      #expect(try await program.says("ended 1 0 200", timeout: .seconds(60)), "\(program.lines)")
    }
    for program in [idle, program, other] { await program.kill() }
    await fixture.stop()
  }
}
