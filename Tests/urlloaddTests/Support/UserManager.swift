import Foundation
import URLLoadingTestServers

/// A user's manager of systemd, with a session bus and the units of the transfer service: as an unused user number, in a mount namespace and
/// in control groups of its own.
final class UserManager: Sendable {
  private static let user = "54321"
  private static let asUser = ["setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"]
  private static let systemd = "/lib/systemd/systemd"
  private static let programs = URL(fileURLWithPath: BuiltProgram.path("urlloadd")).deletingLastPathComponent().path

  /// Where there may be a hierarchy of control groups: one of version 2, alone or beside systemd's of version 1.
  private static let groupRoots = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/systemd"]

  /// Mounts the folder with the built programs in a new `/run`.
  private static let mount = """
    set -eu
    mount -t tmpfs -o mode=755 tmpfs /run
    mkdir /run/programs
    mount --bind '\(programs)' /run/programs
    """

  /// Arguments: the fixture's folder, the name of the control groups.
  private static let setUp = """
    \(mount)
    # PID 1 makes these: the first says that systemd has booted the machine (sd_booted(3)); the others, by version, have what services mount.
    mkdir -p /run/systemd/system /run/systemd/unit-root /run/systemd/mount-rootfs
    mkdir -p -m 700 /run/user/\(user)
    cp /etc/passwd /run/passwd
    echo "url-loading-test:x:\(user):\(user)::$1:/bin/sh" >>/run/passwd
    mount --bind /run/passwd /etc/passwd
    setsid sh -c '\(cleanUp)' sh $$ "$2" &
    for root in \(groupRoots.joined(separator: " ")); do
      [ -w "$root/cgroup.procs" ] || continue
      mkdir "$root/$2"
      echo $$ >"$root/$2/cgroup.procs"
      chown -R \(user):\(user) "$root/$2"
    done
    chown -R \(user):\(user) /run/user/\(user) "$1"
    exec \(asUser.joined(separator: " ")) \(systemd) --user --unit=basic.target --log-target=null
    """

  /// Waits for the end of a process, then ends what is left in the control groups, and removes these. Arguments: the process, the groups' name.
  private static let cleanUp = """
    tail --pid="$1" --sleep-interval=0.1 -f /dev/null
    for try in $(seq 100); do
      for root in \(groupRoots.joined(separator: " ")); do
        [ -d "$root/$2" ] || continue
        find "$root/$2" -name cgroup.procs -exec cat {} + | xargs -r kill -KILL
        find "$root/$2" -depth -type d -exec rmdir {} +
      done
      ls -d \(groupRoots.map { "\($0)/\"$2\"" }.joined(separator: " ")) | grep . || exit 0
      sleep 0.1
    done >/dev/null 2>&1
    """

  /// Whether this machine has a systemd, and lets us mount and an unknown user make namespaces and run the built programs.
  static var isPossible: Bool {
    get async {
      guard geteuid() == 0, access(systemd, X_OK) == 0, access("/usr/bin/dbus-daemon", X_OK) == 0,
        groupRoots.contains(where: { access("\($0)/cgroup.procs", W_OK) == 0 })
      else { return false }
      let probe = "\(mount)\nexec \(asUser.joined(separator: " ")) unshare -Urm /run/programs/urlload --version"
      let outcome = try? await Command.run("unshare", ["-m", "--propagation", "private", "sh", "-c", probe])
      return outcome?.status == .exited(0)
    }
  }

  private let fixture: BackgroundFixture
  private let process: ChildProcess
  private let group: String

  /// The environment of the manager, and of what runs beside it.
  private let environment: [String: String?]

  /// Starts a manager, and the units' sockets. Afterwards the manager's user owns the fixture's folder.
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
    environment = fixture.environment.merging([
      "XDG_RUNTIME_DIR": "/run/user/\(Self.user)", "URLLOADD": nil,
      "SYSTEMD_UNIT_PATH": "\(directory.file("units").path):/usr/lib/systemd/user",
    ]) { $1 }
    let log = directory.file("manager.log")
    process = try ChildProcess(
      "unshare", ["-m", "--propagation", "private", "sh", "-c", Self.setUp, "sh", directory.path, group],
      environment: environment, output: log, error: log)
    let isReady = try await eventually(timeout: .seconds(60)) {
      if self.process.exitStatus != nil { return true }
      return try await self.run("systemctl", "--user", "start", "dbus.socket", "urlloadd.socket").status == .exited(0)
    }
    guard isReady, process.exitStatus == nil else {
      let status = process.exitStatus.map { "ended with \($0)" } ?? "is not ready"
      throw TestServerError("the manager \(status): \(try String(contentsOf: log, encoding: .utf8))")
    }
  }

  /// A command that runs as the user, beside the manager.
  private func command(_ words: [String]) -> [String] {
    ["nsenter", "-t", "\(process.processID)", "-m"] + Self.asUser + words
  }

  /// Runs a command as the user, beside the manager.
  private func run(_ words: String...) async throws -> Command.Outcome {
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

  /// Ends the manager and all that it has started, and waits until its control groups are gone.
  func stop() async {
    await process.stop(grace: .seconds(10))
    _ = try? await eventually(timeout: .seconds(10)) {
      Self.groupRoots.allSatisfy { access("\($0)/\(self.group)", F_OK) != 0 }
    }
  }
}
