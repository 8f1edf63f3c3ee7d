import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// `isDiscretionary`: the service loads such tasks when there are no others.
@Suite(.timeLimit(.minutes(5))) struct DiscretionarySessionTests {
  private let fixture: BackgroundFixture

  init() throws { fixture = try BackgroundFixture() }

  @Test func othersGoFirst() async throws {
    let mayAnswer = DispatchSemaphore(value: 0)
    let server = try ScriptedServer.http { request in
      if request.path == "/first" {
        mayAnswer.wait()
        mayAnswer.signal()
      }
      return HTTPResponse(text: "body")
    }
    // Nobody says that the network costs.
    let environment: [String: String?] = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/none"]
    let idle = try fixture.program("idle", environment: environment)
    #expect(try await eventually { (try? BackgroundControl(at: fixture.place)) != nil })
    let control = try BackgroundControl(at: fixture.place)
    _ = try control.set(BackgroundLimits(transfers: 1))
    let first = try fixture.program("first", "download:\(server.url("/first"))", environment: environment)
    #expect(try await eventually { server.requests.map(\.path) == ["/first"] }, "\(first.lines)")
    // Made before the other one, and waiting for the place like that.
    let later = try fixture.program(
      "later", "--discretionary", "download:\(server.url("/later"))", environment: environment)
    #expect(try await later.says("resumed 1", timeout: .seconds(60)), "\(later.lines)")
    let now = try fixture.program("now", "download:\(server.url("/now"))", environment: environment)
    #expect(try await now.says("resumed 1", timeout: .seconds(60)), "\(now.lines)")
    mayAnswer.signal()
    for program in [first, later, now] {
      #expect(try await program.says("ended 1 0 200", timeout: .seconds(60)), "\(program.lines)")
    }
    #expect(server.requests.map(\.path) == ["/first", "/now", "/later"])
    for program in [idle, first, later, now] { await program.kill() }
    await fixture.stop()
  }
}
