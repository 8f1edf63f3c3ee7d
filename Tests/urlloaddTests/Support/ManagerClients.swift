import Foundation
import URLLoadingTestServers

/// Stand-ins for the clients of the user's systemd and session bus, which write their command lines down. The service sees them in a mount
/// namespace of its own, and takes itself for a unit of systemd.
struct ManagerClients {
  private static let mount = """
    for name in systemd-run systemctl busctl; do
      mount --bind "$0" /usr/bin/$name || exit 1
    done
    """

  /// Whether this machine has what they stand in for, and lets us mount.
  static var mayStandIn: Bool {
    get async {
      let outcome = try? await Command.run("unshare", ["-rm", "sh", "-c", mount, "/dev/null"])
      return outcome?.status == .exited(0)
    }
  }

  /// The executable that starts the service so.
  let service: URL
  private let record: URL

  init(in folder: TemporaryDirectory) throws {
    record = folder.file("commands")
    let standIn = try folder.writeScript("stand-in", "printf '%s\\n' \"$0 $*\" >>'\(record.path)'")
    service = try folder.writeScript(
      "service",
      """
      exec unshare -rm sh -c '
        \(Self.mount)
        export SYSTEMD_EXEC_PID=$$
        exec "$@"
      ' '\(standIn.path)' '\(BuiltProgram.path("urlloadd"))' "$@"
      """)
  }

  /// The command lines so far.
  var commands: [String] {
    ((try? String(contentsOf: record, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
  }

  /// An executable that writes down that somebody has started it.
  func program(in folder: TemporaryDirectory) throws -> URL {
    try folder.writeScript("program", "echo itself >>'\(record.path)'")
  }
}
