import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Programs that others start than the service itself, when their tasks are done.
@Suite(
  .enabled("this machine has no systemd, or lets nobody mount (unshare -rm)") { await ManagerClients.mayStandIn },
  .timeLimit(.minutes(3)))
struct ManagedLaunchTests {
  private let fixture: BackgroundFixture
  private let clients: ManagerClients

  init() throws {
    fixture = try BackgroundFixture()
    clients = try ManagerClients(in: fixture.directory)
  }

  /// - Returns: what was started, with its arguments, when the tasks of a session were done.
  private func launches(_ option: String, _ value: String) async throws -> [String] {
    let server = try OutlivingTests.slowServer()
    let program = try fixture.program(
      "test", "--exit", option, value, "download:\(server.url("/a"))", environment: ["URLLOADD": clients.service.path])
    #expect(await program.process.waitForExit(timeout: .seconds(60)) == .exited(0), "\(program.lines)")
    #expect(try await eventually { !clients.commands.isEmpty })
    let jobs = try await fixture.control().jobs()
    #expect(jobs.map(\.state) == ["done"])
    let commands = clients.commands
    await fixture.stop()
    return commands
  }

  /// What a unit starts itself is in its cgroup and its sandbox.
  @Test func theManagerStartsTheExecutableOfAUnit() async throws {
    let program = try clients.program(in: fixture.directory).path
    let command = "/usr/bin/systemd-run --user --quiet --collect --no-block --working-directory=/ -- \(program)"
    #expect(try await launches("--launched-by", program) == [command])
  }

  @Test func aUnitIsStarted() async throws {
    let command = "/usr/bin/systemctl --user --no-block start -- a.service"
    #expect(try await launches("--launch-unit", "a.service") == [command])
  }

  @Test func aNameOnTheBusIsStarted() async throws {
    let bus = "org.freedesktop.DBus /org/freedesktop/DBus org.freedesktop.DBus"
    let command = "/usr/bin/busctl --user call \(bus) StartServiceByName su org.example.a 0"
    #expect(try await launches("--launch-name", "org.example.a") == [command])
  }
}
