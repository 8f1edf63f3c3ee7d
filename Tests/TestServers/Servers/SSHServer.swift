import Foundation
import Glibc

/// OpenSSH's sshd on a free loopback port, with keys of its own, for the user who runs the tests.
///
/// It lets in who has one of its authorized keys. Passwords and questions need PAM: see ``PasswordSSHServer``.
package final class SSHServer: Sendable {
  /// How a server differs from the usual one.
  package struct Options: Sendable {
    /// Types of the host keys, as `ssh-keygen` calls them.
    package var hostKeyTypes = ["ed25519", "ecdsa", "rsa"]
    /// Lines for `sshd_config`, before the usual ones; the first of a keyword counts.
    package var configuration: [String] = []
    /// The command of the subsystem `sftp`; nil for none.
    package var subsystem: String? = "internal-sftp"

    /// The usual server.
    package init() {}
  }

  /// Keys that every server lets in, one of each type, without a passphrase.
  package struct ClientKeys: Sendable {
    package let directory: TemporaryDirectory
    package let ed25519: SSHKeys.Pair
    package let ecdsa: SSHKeys.Pair
    package let rsa: SSHKeys.Pair

    package var all: [SSHKeys.Pair] { [ed25519, ecdsa, rsa] }
  }

  /// The port on 127.0.0.1.
  package let port: UInt16
  /// Where `~` is: the directory in which SFTP begins.
  package let home: URL
  /// The host keys, in the order of the options' types.
  package let hostKeys: [SSHKeys.Pair]
  private let process: ServerProcess

  /// The user who may log in.
  package static let user: String = {
    guard let entry = getpwuid(geteuid()), let name = entry.pointee.pw_name else { return "root" }
    return String(cString: name)
  }()

  private static let lazy = LazyServer { try await SSHServer.start() }
  private static let keys = LazyServer {
    let directory = try TemporaryDirectory("ssh-keys")
    return ClientKeys(
      directory: directory, ed25519: try await SSHKeys.make("ed25519", in: directory, name: "ed25519"),
      ecdsa: try await SSHKeys.make("ecdsa", in: directory, name: "ecdsa"),
      rsa: try await SSHKeys.make("rsa", bits: 2048, in: directory, name: "rsa"))
  }

  /// Since 9.8 sshd refuses an address after a few failed logins, for a while; all tests have the same.
  private static let penalties = LazyServer<[String]> {
    let told = try await Command.run(ChildProcess.find("sshd"), ["-V"])
    let version =
      (told.text + told.error).firstMatch(of: /OpenSSH_(\d+)\.(\d+)/).map { [Int($0.1) ?? 0, Int($0.2) ?? 0] } ?? []
    return version.lexicographicallyPrecedes([9, 8]) ? [] : ["PerSourcePenalties no"]
  }

  /// A server for all tests of this process. Do not stop it.
  package static var shared: SSHServer {
    get async throws { try await lazy.server }
  }

  /// Keys that every server lets in.
  package static var clientKeys: ClientKeys {
    get async throws { try await keys.server }
  }

  /// Starts a server of the test's own.
  package static func start(options: Options = Options(), port: UInt16? = nil) async throws -> SSHServer {
    let clientKeys = try await clientKeys
    var options = options
    options.configuration += try await penalties.server
    let chosen = options
    return try await ServerProcess.retrying {
      let directory = try TemporaryDirectory("sshd")
      let port = try port ?? FreePort.pick()
      var hostKeys: [SSHKeys.Pair] = []
      for type in chosen.hostKeyTypes {
        let bits = type == "rsa" ? 2048 : nil
        hostKeys.append(try await SSHKeys.make(type, bits: bits, in: directory, name: "host-\(type)"))
      }
      let home = directory.file("home")
      try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
      let authorized = clientKeys.all.map { $0.publicLine + "\n" }.joined()
      let authorizedFile = try directory.write("authorized_keys", authorized)
      try directory.write(
        "sshd_config", configuration(chosen, port: port, hostKeys: hostKeys, authorized: authorizedFile, home: home))
      // Started as root, sshd wants an empty directory of root's to confine itself to; its service would make it.
      if geteuid() == 0 { mkdir("/run/sshd", 0o755) }
      let process = try await ServerProcess.start(
        "sshd", try ChildProcess.find("sshd"), ["-D", "-e", "-f", directory.file("sshd_config").path],
        directory: directory, ports: [port])
      return SSHServer(process: process, port: port, home: home, hostKeys: hostKeys)
    }
  }

  private static func configuration(
    _ options: Options, port: UInt16, hostKeys: [SSHKeys.Pair], authorized: URL, home: URL
  ) -> String {
    var lines = options.configuration
    lines += ["Port \(port)", "ListenAddress 127.0.0.1", "PidFile none", "LogLevel VERBOSE"]
    lines += hostKeys.map { "HostKey \($0.file.path)" }
    lines += ["AuthorizedKeysFile \(authorized.path)", "StrictModes no", "UsePAM no", "PermitRootLogin yes"]
    lines += ["PasswordAuthentication no", "KbdInteractiveAuthentication no", "MaxStartups 200", "UseDNS no"]
    if let subsystem = options.subsystem {
      // `-d` is where it begins.
      lines.append("Subsystem sftp \(subsystem) -d \(home.path)")
    }
    // Others, for what only a channel is needed for.
    lines += ["Subsystem cat cat", "Subsystem zeros cat /dev/zero", "Subsystem brief echo out; echo err >&2"]
    return lines.joined(separator: "\n") + "\n"
  }

  private init(process: ServerProcess, port: UInt16, home: URL, hostKeys: [SSHKeys.Pair]) {
    self.process = process
    self.port = port
    self.home = home
    self.hostKeys = hostKeys
  }

  /// An `sftp` URL of this server, of the user that runs the tests. The path starts with a slash.
  package func url(_ path: String) -> URL {
    var components = URLComponents()
    components.scheme = "sftp"
    components.user = Self.user
    components.host = "127.0.0.1"
    components.port = Int(port)
    components.path = path
    return components.url ?? URL(fileURLWithPath: path)
  }

  /// Lines for a `known_hosts` file with all host keys.
  package var knownHosts: String {
    hostKeys.map { "[127.0.0.1]:\(port) \($0.publicLine)\n" }.joined()
  }

  /// The server's log so far.
  package var log: String { process.log }

  /// Waits until the log contains a text.
  package func waitForLog(_ text: String, timeout: Duration = .seconds(5)) async -> Bool {
    await process.logContains(text, timeout: timeout)
  }

  /// The processes that serve connections.
  package var connectionProcesses: [pid_t] {
    // Beside them there is the shell that ends the server with the test process.
    Self.children(of: process.processID).filter { child in
      (try? String(contentsOfFile: "/proc/\(child)/comm", encoding: .utf8))?.hasPrefix("sshd") == true
    }
  }

  /// Ends all connections as a crash would; the server goes on listening.
  package func killConnections() {
    for child in connectionProcesses {
      // The server's process first: it would tell the client of the end of the command that it runs.
      let grandchildren = Self.children(of: child)
      kill(child, SIGKILL)
      for grandchild in grandchildren { kill(grandchild, SIGKILL) }
    }
  }

  /// Stops all connections (they answer nothing any more), or lets them go on.
  package func freezeConnections(_ freezes: Bool = true) {
    for child in connectionProcesses {
      for grandchild in Self.children(of: child) { kill(grandchild, freezes ? SIGSTOP : SIGCONT) }
      kill(child, freezes ? SIGSTOP : SIGCONT)
    }
  }

  /// Stops the server and deletes its files.
  package func stop() async {
    killConnections()
    await process.stop()
  }

  private static func children(of parent: pid_t) -> [pid_t] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return all.compactMap { pid_t($0) }.filter { pid in
      guard let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8) else { return false }
      return status.contains("\nPPid:\t\(parent)\n")
    }
  }
}
