import Foundation
import Testing
import URLLoadingTestServers

/// Networks that cost by the byte, as NetworkManager says on a bus of the test's own (python-dbusmock).
@Suite(.timeLimit(.minutes(3))) struct MeteredTests {
  private let fixture: BackgroundFixture
  private static let name = "org.freedesktop.NetworkManager"
  private static let path = "/org/freedesktop/NetworkManager"

  init() throws { fixture = try BackgroundFixture() }

  /// Where the bus is, once there is one.
  private var environment: [String: String?] {
    ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(fixture.directory.file("bus").path)"]
  }

  private var log: URL { fixture.directory.file("bus.log") }

  /// Starts the bus, on which nobody is yet.
  private func startBus() async throws -> ChildProcess {
    let socket = fixture.directory.file("bus").path
    let bus = try ChildProcess(
      "dbus-daemon", ["--session", "--address=unix:path=\(socket)", "--nofork"], output: log, error: log)
    #expect(try await eventually { access(socket, F_OK) == 0 })
    return bus
  }

  /// Without a bus, and where nobody on it knows, no network costs.
  @Test(arguments: [false, true]) func nothingCostsWithoutNetworkManager(hasBus: Bool) async throws {
    let bus = try await hasBus ? startBus() : nil
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "body") }
    let program = try fixture.program(
      "thrifty", "--refuses-cost", "--discretionary", "thrifty:\(server.url("/a"))", environment: environment)
    #expect(try await program.says("ended 1 0 200", timeout: .seconds(60)), "\(program.lines)")
    await program.kill()
    await fixture.stop()
    await bus?.stop()
  }

  @Test func tasksThatMayNotCostWait() async throws {
    let bus = try await startBus()
    let manager = try ChildProcess(
      "/usr/bin/python3", ["-m", "dbusmock", "--system", Self.name, Self.path, Self.name], environment: environment,
      output: log, error: log)
    func call(_ words: String...) async throws -> Bool {
      try await Command.run("busctl", ["--system", "call", Self.name, Self.path] + words, environment: environment)
        .status == .exited(0)
    }
    #expect(
      try await eventually {
        try await call("org.freedesktop.DBus.Mock", "AddProperty", "ssv", Self.name, "Metered", "u", "1")
      })

    let server = try OutlivingTests.slowServer(pause: 0)
    let thrifty = try fixture.program(
      "thrifty", "--refuses-cost", "download:\(server.url("/thrifty"))", environment: environment)
    #expect(try await thrifty.says("resumed 1"))
    let later = try fixture.program(
      "later", "--discretionary", "download:\(server.url("/later"))", environment: environment)
    #expect(try await later.says("resumed 1"))
    // Of a session that may use every network, a request that may not.
    let other = try fixture.program(
      "other", "thrifty:\(server.url("/request"))", "download:\(server.url("/other"))", environment: environment)
    #expect(try await other.says("ended 2 0 200"), "\(other.lines)")
    #expect(server.requests.map(\.path) == ["/other"])

    #expect(try await call("org.freedesktop.DBus.Properties", "Set", "ssv", Self.name, "Metered", "u", "2"))
    // The next service asks at its start, this one within a minute.
    try await fixture.killService()
    for program in [thrifty, later, other] {
      #expect(try await program.says("ended 1 0 200"), "\(program.lines)")
    }
    for program in [thrifty, later, other] { await program.kill() }
    await fixture.stop()
    await manager.stop()
    await bus.stop()
  }
}
