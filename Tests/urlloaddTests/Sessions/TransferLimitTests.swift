import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// The limit of the transfers at once, from all hosts together.
@Suite(.timeLimit(.minutes(3))) struct TransferLimitTests {
  /// The requests that wait for their answers.
  private struct Open: Sendable {
    var now = 0
    var most = 0
  }

  @Test func noMoreAreLoadedAtOnceFromWhateverHosts() async throws {
    let fixture = try BackgroundFixture()
    let (open, mayAnswer) = (Watched(Open()), DispatchSemaphore(value: 0))
    // An origin each: the limit of a host keeps none of them back.
    let servers = try (0..<5).map { _ in
      try ScriptedServer.http { _ in
        open.update { open in
          open.now += 1
          open.most = max(open.most, open.now)
        }
        _ = mayAnswer.wait(timeout: .now() + 60)
        open.update { $0.now -= 1 }
        return HTTPResponse(text: "body")
      }
    }
    // Optimized code would release them, which stops them, after their last use.
    defer { withExtendedLifetime(servers) {} }
    let idle = try fixture.program("idle")
    let control = try await fixture.control()
    #expect(try control.set(BackgroundLimits(transfers: 2)).transfers == 2)
    let program = try fixture.program("test", arguments: servers.map { "download:\($0.url("/a"))" })
    let states = ["loads", "loads", "waits", "waits", "waits"]
    #expect(try await eventually { try control.jobs().map(\.state).sorted() == states }, "\(program.lines)")
    // The turn of the service that knows of all has begun what may begin, before it answers again.
    #expect(try control.jobs().map(\.state).sorted() == states)
    for count in 1...5 {
      mayAnswer.signal()
      #expect(try await eventually { program.all("ended").count == count }, "\(program.lines)")
      #expect(await open.wait { $0.now == min(2, 5 - count) })
    }
    #expect(program.all("ended").allSatisfy { $0.hasSuffix(" 0 200") }, "\(program.lines)")
    #expect(open.value.most == 2)
    for program in [idle, program] { await program.kill() }
    await fixture.stop()
  }
}
