import URLLoadingTestServers

/// File systems that belong to one process, by unshare(1) as a user who is root in there alone.
enum PrivateDisk {
  /// Whether this machine lets us make one.
  static var isAvailable: Bool {
    get async {
      guard let folder = try? TemporaryDirectory("disk") else { return false }
      return (try? await run(["true"], options: "size=1m", at: folder))?.status == .exited(0)
    }
  }

  /// Runs a command that finds a file system in memory at a directory.
  /// - Parameter options: as mount(8) has them: its size, or `ro`.
  static func run(_ command: [String], options: String, at directory: TemporaryDirectory) async throws
    -> Command.Outcome
  {
    let script = #"mount -t tmpfs -o "$0" none "$1" && shift && exec "$@""#
    return try await Command.run("unshare", ["-rm", "sh", "-c", script, options, directory.path] + command)
  }
}
