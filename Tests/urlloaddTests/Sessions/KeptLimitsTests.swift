import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@testable import urlloadd

/// The limits of the user's transfers, which outlive the service.
@Suite(.timeLimit(.minutes(3))) struct KeptLimitsTests {
  @Test func theQueueHasThem() throws {
    let folder = try TemporaryDirectory("queue")
    let path = folder.file("queue.sqlite").path
    #expect(try QueueStore(path: path).limits() == nil)
    for transfers in [3, 5] {
      var changes = QueueChanges()
      let limits = JobQueue.Limits(transfers: transfers, transfersPerHost: 2, bytesPerSecond: 100_000, freeSpace: 7)
      changes.limits = limits
      try QueueStore(path: path).write(changes) { _ in nil }
      #expect(try QueueStore(path: path).limits() == limits)
    }
  }

  @Test func theNextServiceGoesByThem() async throws {
    let fixture = try BackgroundFixture()
    let idle = try fixture.program("idle")
    let wanted = BackgroundLimits(transfers: 4, transfersPerHost: 1, bytesPerSecond: 123_456_789, freeSpace: 4096)
    #expect(try await fixture.control().set(wanted) == wanted)
    try await fixture.killService()
    #expect(try await fixture.control().set(BackgroundLimits()) == wanted)
    // Each answer waits a while for a second request, which only a service without the limit makes.
    let (running, most) = (Watched(0), Watched(0))
    let server = try ScriptedServer.http { _ in
      let count = running.update { count in
        count += 1
        return count
      }
      most.update { $0 = max($0, count) }
      _ = running.waitBlocking(timeout: .milliseconds(500)) { $0 > 1 }
      running.update { $0 -= 1 }
      return HTTPResponse(text: "ok")
    }
    let program = try fixture.program("test", "download:\(server.url("/a"))", "download:\(server.url("/b"))")
    for number in 1...2 { #expect(try await program.says("ended \(number) 0 200"), "\(program.lines)") }
    #expect(most.value == 1)
    for program in [idle, program] { await program.kill() }
    await fixture.stop()
  }
}
