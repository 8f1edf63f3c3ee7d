import Foundation

/// A session bus of a test's own, with or without a Secret Service (gnome-keyring), in which programs run.
package enum KeyringSession {
  /// What answers on the bus.
  package enum Service: Sendable {
    /// A keyring that is unlocked.
    case unlocked
    /// No service, and none that the bus could start.
    case none
  }

  /// Why no such session can be made here, in words; nil if one can.
  package static var obstacle: String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"
    let missing = ["dbus-run-session", "gnome-keyring-daemon"].filter { program in
      !path.split(separator: ":").contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
    }
    return missing.isEmpty
      ? nil : "\(missing.joined(separator: " and ")) not installed: run Scripts/install-test-dependencies"
  }

  /// Runs a program once for each set of variables, one after the other, in one session. A failure ends it.
  ///
  /// - Parameter home: where the keyring is, and what the program finds as the home directory.
  package static func run(
    _ service: Service, home: TemporaryDirectory, _ executable: String, _ arguments: [String],
    environments: [[String: String]], timeout: Duration = .seconds(60)
  ) async throws -> Command.Outcome {
    var lines = ["set -e"]
    if service == .unlocked {
      lines.append("printf password | gnome-keyring-daemon --unlock --components=secrets --daemonize >/dev/null 2>&1")
    }
    let command = ([executable] + arguments).map(quoted).joined(separator: " ")
    for environment in environments {
      let variables = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\(quoted($0.value))" }
      lines.append("env \(variables.joined(separator: " ")) \(command)")
    }
    let script = try home.write("session.sh", Data(lines.joined(separator: "\n").utf8))
    // The service keeps its socket there, which nobody else may reach.
    let runtime = home.file("run")
    try FileManager.default.createDirectory(
      at: runtime, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    var variables: [String: String?] = [
      "HOME": home.path, "XDG_DATA_HOME": home.file("data").path, "XDG_CONFIG_HOME": home.file("config").path,
      "XDG_CACHE_HOME": home.file("cache").path, "XDG_RUNTIME_DIR": runtime.path, "DISPLAY": nil,
      "GNOME_KEYRING_CONTROL": nil,
    ]
    // Where the bus looks for services that it starts.
    if service == .none { variables["XDG_DATA_DIRS"] = "/nonexistent" }
    return try await Command.run(
      "dbus-run-session", ["--", "sh", script.path], environment: variables, timeout: timeout)
  }

  private static func quoted(_ text: String) -> String {
    "'\(text.replacingOccurrences(of: "'", with: "'\\''"))'"
  }
}
