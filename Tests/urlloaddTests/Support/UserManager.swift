import Foundation
import URLLoadingTestServers

/// A user's manager of systemd, with a session bus and the units of the transfer service, for a user without a name of its own on this
/// machine: in a mount namespace and in control groups of its own. Only root can start one.
final class UserManager: Sendable {
  private static let user = 54_321
  private static let systemd = "/lib/systemd/systemd"

  /// Arguments: the user's number, the fixture's folder, the folder of the built programs, the name of the control groups.
  private static let setUp = """
    set -eu
    mount -t tmpfs -o mode=755 tmpfs /run
    # The first tells that systemd has booted the machine (sd_booted(3)), and made the second.
    mkdir -p /run/systemd/system /run/systemd/unit-root /run/programs /run/user
    mkdir -m 700 "/run/user/$1"
    mount --bind "$3" /run/programs
    cp /etc/passwd /run/passwd
    echo "url-loading-test:x:$1:$1::$2:/bin/sh" >>/run/passwd
    mount --bind /run/passwd /etc/passwd
    for root in \(groupRoots.joined(separator: " ")); do
      [ -w "$root/cgroup.procs" ] || continue
      mkdir "$root/$4"
      echo $$ >"$root/$4/cgroup.procs"
      chown -R "$1:$1" "$root/$4"
    done
    chown -R "$1:$1" "/run/user/$1" "$2"
    exec setpriv "--reuid=$1" "--regid=$1" --clear-groups \(systemd) --user --unit=basic.target --log-target=null
    """

  /// Where there may be a hierarchy of control groups: one of version 2, alone or beside systemd's of version 1.
  private static let groupRoots = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/systemd"]

  /// Whether this machine has a systemd and lets us mount.
  static var isPossible: Bool {
    get async {
      guard geteuid() == 0, access(systemd, X_OK) == 0, access("/usr/bin/dbus-daemon", X_OK) == 0,
        groupRoots.contains(where: { access("\($0)/cgroup.procs", W_OK) == 0 })
      else { return false }
      let outcome = try? await Command.run("unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", "/run"])
      return outcome?.status == .exited(0)
    }
  }

  private let fixture: BackgroundFixture
  private let process: ChildProcess
  private let group: String

  /// The environment of the manager, and of what runs beside it.
  private let environment: [String: String?]

  /// Starts one, and the units' sockets. Whatever is in the fixture's folder belongs to its user afterwards.
  init(for fixture: BackgroundFixture) async throws {
    let directory = fixture.directory
    for name in ["urlloadd.service", "urlloadd.socket"] {
      let unit = PackageFolder.root.appending(path: "Scripts/systemd/\(name)")
      let text = try String(contentsOf: unit, encoding: .utf8)
      try directory.write("units/\(name)", text.replacingOccurrences(of: "@BINDIR@", with: "/run/programs"))
    }
    try directory.write("units/dbus.socket", "[Socket]\nListenStream=%t/bus\n")
    try directory.write(
      "units/dbus.service",
      "[Service]\nExecStart=/usr/bin/dbus-daemon --session --address=systemd: --nofork --nopidfile\n")
    self.fixture = fixture
    group = directory.url.lastPathComponent
    let programs = URL(fileURLWithPath: BuiltProgram.path("urlloadd")).deletingLastPathComponent().path
    environment = fixture.environment.merging([
      "XDG_RUNTIME_DIR": "/run/user/\(Self.user)", "URLLOADD": nil,
      "SYSTEMD_UNIT_PATH": "\(directory.file("units").path):/usr/lib/systemd/user",
    ]) { $1 }
    process = try ChildProcess(
      "unshare",
      [
        "-m", "--propagation", "private", "sh", "-c", Self.setUp, "sh", "\(Self.user)", directory.path, programs, group,
      ],
      environment: environment, output: directory.file("manager.log"), error: directory.file("manager.log"))
    let isThere = try await eventually(timeout: .seconds(60)) {
      try await self.run("systemctl", "--user", "start", "dbus.socket", "urlloadd.socket").status == .exited(0)
    }
    guard isThere else {
      let log = try String(contentsOf: directory.file("manager.log"), encoding: .utf8)
      throw TestServerError("no manager came: \(log)")
    }
  }

  /// A command that runs as the user, beside the manager.
  private func command(_ words: [String]) -> [String] {
    let user = ["--reuid=\(Self.user)", "--regid=\(Self.user)", "--clear-groups"]
    return ["nsenter", "-t", "\(process.processID)", "-m", "setpriv"] + user + words
  }

  /// Runs a command as the user, beside the manager.
  func run(_ words: String...) async throws -> Command.Outcome {
    let command = command(words)
    return try await Command.run(command[0], Array(command.dropFirst()), environment: environment)
  }

  /// Starts a program that makes tasks and ends at once, and waits for its end.
  func leave(_ arguments: String...) async throws {
    let program = try fixture.program(
      arguments: ["--exit"] + arguments, of: command(["/run/programs/URLLoadingBackgroundWorker"]),
      environment: environment)
    let status = await program.process.waitForExit(timeout: .seconds(60))
    guard status == .exited(0) else {
      throw TestServerError("the program ended with \(String(describing: status)): \(program.lines)")
    }
  }

  /// The process of the service, which is the manager's.
  func service() async throws -> pid_t {
    let text = try await run("systemctl", "--user", "show", "--property=MainPID", "--value", "urlloadd.service").text
    if let number = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)), number != 0 { return number }
    let status = try await run("systemctl", "--user", "status", "--no-pager", "urlloadd.service").text
    throw TestServerError("the unit has no process: \(status)")
  }

  /// Ends the manager and all that it has started.
  func stop() async {
    await process.stop(grace: .seconds(10))
    for root in Self.groupRoots {
      let folder = "\(root)/\(group)"
      let inside = (FileManager.default.subpaths(atPath: folder) ?? []).filter { $0.hasSuffix("cgroup.procs") }
      for list in inside {
        let numbers = (try? String(contentsOfFile: "\(folder)/\(list)", encoding: .utf8)) ?? ""
        for number in numbers.split(separator: "\n").compactMap({ pid_t($0) }) { kill(number, SIGKILL) }
      }
      // The kernel removes a group when its last process is gone; the innermost first.
      let groups = inside.map { "\(folder)/\($0)".replacingOccurrences(of: "/cgroup.procs", with: "") }
      for group in groups.sorted(by: { $0.count > $1.count }) {
        _ = try? await eventually(timeout: .seconds(10)) { rmdir(group) == 0 || errno != EBUSY }
      }
    }
  }
}
