import Foundation
import Testing
import URLLoading

@testable import urlloadd

/// How programs are started.
@Suite struct LauncherTests {
  @Test func anExecutableIsStartedAsItIs() {
    let command = Launcher.command(for: .executable(path: "/bin/a", arguments: ["$HOME", "b"]), isUnit: false)
    #expect(command.path == "/bin/a" && command.arguments == ["$HOME", "b"])
  }

  /// It must not be in the sandbox of the service's unit.
  @Test func aServiceThatIsAUnitHasTheManagerStartIt() throws {
    let command = Launcher.command(for: .executable(path: "/bin/a", arguments: ["$HOME", "-b"]), isUnit: true)
    #expect(command.path == "/usr/bin/systemd-run")
    let end = try #require(command.arguments.firstIndex(of: "--"))
    #expect(command.arguments[..<end].contains("--user"))
    #expect(command.arguments[(end + 1)...] == ["/bin/a", "$$HOME", "-b"])
  }

  @Test(arguments: [true, false]) func unitsAndNamesAreTheManagersAnyway(_ isUnit: Bool) {
    let unit = Launcher.command(for: .systemdUnit("-a.service"), isUnit: isUnit)
    #expect(unit.path == "/usr/bin/systemctl" && unit.arguments.suffix(2) == ["--", "-a.service"])
    let name = Launcher.command(for: .dbusName("org.example.a"), isUnit: isUnit)
    #expect(name.path == "/usr/bin/busctl" && name.arguments.contains("org.example.a"))
  }

  @Test func whatCannotBeStartedIsSaid() {
    #expect(Launcher.start(.executable(path: "bin/true"))?.contains("no absolute path") == true)
    #expect(Launcher.start(.executable(path: "/none/at/all"))?.contains("cannot be started") == true)
  }
}
