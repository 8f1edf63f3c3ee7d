import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// A service and a program in a network of their own, which is down at first, or goes down.
@Suite(
  .enabled("this machine lets nobody make a network of their own (unshare -rn)") { await PrivateNetwork.isAvailable },
  .timeLimit(.minutes(5)))
struct LackingNetworkTests {
  private let fixture: BackgroundFixture
  /// In seconds, and more than a test waits for what must happen.
  private static let backOff = 120.0

  init() throws { fixture = try BackgroundFixture() }

  @Test func tasksGoOnWhenTheNetworkComesUp() async throws {
    let network = try await BackgroundNetwork(fixture)
    let file = try fixture.directory.write("source", Data(count: 100_000))
    let program = try network.program(
      fixture, "download:\(network.url("/a"))", "put:\(file.path),\(network.url("/b"))")
    for task in 1...2 { #expect(try await program.says("waits \(task)", timeout: .seconds(60)), "\(program.lines)") }

    // Tries that find no network either, until none would come in time without its change.
    let control = try await fixture.control()
    let waitLong = try await eventually {
      let jobs = try control.jobs()
      let others = jobs.filter { ($0.nextTry?.timeIntervalSinceNow ?? 0) < Self.backOff }
      for job in others { try control.retry(job.number) }
      return jobs.count == 2 && others.isEmpty
    }
    let jobs = try control.jobs()
    try #require(waitLong, "\(jobs)")
    #expect(jobs.allSatisfy { !$0.hasEnded && $0.failure?.contains("no network") == true }, "\(jobs)")
    #expect(network.requests.isEmpty)

    let start = ContinuousClock.now
    try await network.comeUp()
    for task in 1...2 {
      #expect(try await program.says("ended \(task) 0 200", timeout: .seconds(60)), "\(program.lines)")
    }
    #expect(ContinuousClock.now - start < .seconds(Self.backOff))
    #expect(network.requests.sorted() == ["GET /a 0", "PUT /b 100000"])
    // Once a task, however many tries there were.
    #expect(program.all("waits").sorted() == ["1", "2"])
    #expect(try String(contentsOf: fixture.taken.appending(path: "1"), encoding: .utf8) == "hello")
    await program.kill()
    await network.stop()
    await fixture.stop()
  }

  @Test func aTransferGoesOnBehindANetworkThatWasAway() async throws {
    let network = try await BackgroundNetwork(fixture)
    try await network.comeUp()
    // In seconds: how long nothing comes before somebody looks for the network.
    let program = try network.program(fixture, "--request-timeout", "3", "download:\(network.url("/long"))")
    #expect(try await program.says("wrote 1 ", timeout: .seconds(60)), "\(program.lines)")
    #expect(program.all("waits").isEmpty, "\(program.lines)")
    try await network.goDown()
    #expect(try await program.says("waits 1", timeout: .seconds(60)), "\(program.lines)")
    let jobs = try await fixture.control().jobs()
    #expect(jobs.count == 1 && jobs.allSatisfy { !$0.hasEnded }, "\(jobs)")
    #expect(program.all("ended").isEmpty, "\(program.lines)")
    try await network.comeUp()
    #expect(try await program.says("ended 1 0 206", timeout: .seconds(60)), "\(program.lines)")
    let file = fixture.taken.appending(path: "1")
    #expect(try TestFiles.firstDifference(in: file, count: 2_000_000, seed: 30) == nil)
    #expect(program.all("ended").count == 1, "\(program.lines)")
    await program.kill()
    await network.stop()
    await fixture.stop()
  }

  @Test func aProgramThatComesLaterHearsOfItAsWell() async throws {
    let network = try await BackgroundNetwork(fixture)
    let first = try network.program(fixture, "--exit", "download:\(network.url("/a"))")
    #expect(await first.process.waitForExit(timeout: .seconds(60)) == .exited(0), "\(first.lines)")
    let control = try await fixture.control()
    #expect(try await eventually { try control.jobs().first?.failure?.contains("no network") == true })
    let second = try network.program(fixture)
    #expect(try await second.says("waits 1", timeout: .seconds(60)), "\(second.lines)")
    try await network.comeUp()
    #expect(try await second.says("ended 1 0 200", timeout: .seconds(60)), "\(second.lines)")
    #expect(second.all("waits") == ["1"])
    await second.kill()
    await network.stop()
    await fixture.stop()
  }
}
