import Foundation
import Testing
import URLLoadingTestServers

/// The installed units, run by a user's manager of systemd.
@Suite(
  .enabled("we are not root, or this machine cannot run a user's manager of systemd") { await UserManager.isPossible },
  .disabled(if: Sanitizing.isOn), .timeLimit(.minutes(5)))
struct UserManagerTests {
  private let fixture: BackgroundFixture
  /// What the started program has written: its control groups, and whether it may gain privileges.
  private let facts: URL
  private let script: URL

  init() throws {
    fixture = try BackgroundFixture()
    facts = fixture.directory.file("facts")
    script = try fixture.directory.writeScript(
      "started.sh",
      """
      { cat /proc/self/cgroup; grep NoNewPrivs /proc/self/status; } >'\(facts.path).part'
      mv '\(facts.path).part' '\(facts.path)'
      """)
  }

  private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

  /// Leaves a download to the service that the manager starts.
  /// - Parameter check: gets what the program has written that the service started, and the process of the service.
  private func expectStart(
    by option: String, _ value: String, _ check: (_ facts: String, _ service: pid_t) throws -> Void
  ) async throws {
    let manager = try await UserManager(for: fixture)
    do {
      let server = try OutlivingTests.slowServer()
      try await manager.leave(option, value, "download:\(server.url("/a"))")
      #expect(try await eventually(timeout: .seconds(60)) { FileManager.default.fileExists(atPath: facts.path) })
      let written = try text(facts.path)
      #expect(!written.contains("/urlloadd.service\n") && written.contains("NoNewPrivs:\t0"), "\(written)")
      try check(written, try await manager.service())
    } catch {
      Issue.record(error)
    }
    await manager.stop()
  }

  /// The socket starts the service, in the sandbox of its unit, and the program that it starts is outside.
  @Test func theServiceIsInItsSandboxAlone() async throws {
    try await expectStart(by: "--launched-by", script.path) { facts, service in
      #expect(try text("/proc/\(service)/cgroup").contains("/urlloadd.service\n"))
      let status = try text("/proc/\(service)/status").split(separator: "\n")
      #expect(status.contains("NoNewPrivs:\t1") && status.contains("Seccomp:\t2"), "\(status)")
      // Lines of mountinfo have the place and its options as their fifth and sixth word (proc(5)).
      let mounts = try text("/proc/\(service)/mountinfo").split(separator: "\n").map { $0.split(separator: " ") }
      for place in ["/usr", "/etc", "/proc/sys"] {
        let options = mounts.last { $0[4] == place }.map { $0[5].split(separator: ",") }
        #expect(options?.contains("ro") == true, "\(place)")
      }
    }
  }

  @Test func aUnitIsStarted() async throws {
    try fixture.directory.write("units/started.service", "[Service]\nType=oneshot\nExecStart=\(script.path)\n")
    try await expectStart(by: "--launch-unit", "started.service") { facts, _ in
      #expect(facts.contains("/started.service\n"), "\(facts)")
    }
  }

  @Test func aNameOnTheBusIsStarted() async throws {
    try fixture.directory.write(
      "data/dbus-1/services/started.service", "[D-BUS Service]\nName=org.example.Started\nExec=\(script.path)\n")
    try await expectStart(by: "--launch-name", "org.example.Started") { facts, _ in
      #expect(facts.contains("/dbus.service\n"), "\(facts)")
    }
  }
}
