import Foundation

/// AsyncSSH's server, for what sshd does only with PAM: passwords and questions. It also stalls on demand.
///
/// A command, whatever it is, sends back what it gets; the subsystem `sftp` serves ``home``.
package final class PasswordSSHServer: Sendable {
  /// How a server differs from the usual one.
  package struct Options: Sendable {
    /// The phase in which the server stops to answer.
    package enum Stall: String, Sendable {
      case login
      case channel
      case service
    }

    /// A request that a server may refuse, and whose absence a client has to bear.
    package enum Refusal: String, Sendable {
      case fstat
      /// A file that is missing: LSTAT fails without a reason.
      case lstat
      case rename
      /// Names that begin with a dot.
      case dot
      /// To make a file only if it does not exist.
      case exclusive
    }

    /// The password that lets in; nil if passwords are not accepted.
    package var password: String? = PasswordSSHServer.password
    /// The right answers to keyboard-interactive's questions, one a round; none if it is not offered.
    package var answers: [String] = []
    /// The name over keyboard-interactive's questions, which are short then.
    package var questionName: String?
    /// Whether everybody is let in.
    package var needsNoLogin = false
    /// Keys that are let in, as lines of `authorized_keys`.
    package var authorizedKeys: [String] = []
    package var stall: Stall?
    /// What SFTP refuses.
    package var refuses: [Refusal] = []

    /// The usual server.
    package init() {}
  }

  /// The user.
  package static let user = "Jäsøn"
  /// The password.
  package static let password = "päss: word"

  /// The port on 127.0.0.1.
  package let port: UInt16
  /// What SFTP serves as `/`.
  package let home: URL
  /// The only host key.
  package let hostKey: SSHKeys.Pair
  private let process: ServerProcess

  /// Starts a server.
  package static func start(options: Options = Options()) async throws -> PasswordSSHServer {
    try await ServerProcess.retrying {
      let directory = try TemporaryDirectory("asyncssh")
      let home = directory.file("home")
      try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
      let hostKey = try await SSHKeys.make("ed25519", in: directory, name: "host")
      let port = try FreePort.pick()
      var arguments = [
        PackageFolder.script("ssh_server.py"), "--port", String(port), "--host-key", hostKey.file.path, "--root",
        home.path, "--user", user,
      ]
      if let password = options.password { arguments += ["--password", password] }
      for answer in options.answers { arguments += ["--answer", answer] }
      for refusal in options.refuses { arguments += ["--refuse", refusal.rawValue] }
      if let name = options.questionName { arguments += ["--question-name", name] }
      if options.needsNoLogin { arguments.append("--no-login") }
      if let stall = options.stall { arguments += ["--stall", stall.rawValue] }
      if !options.authorizedKeys.isEmpty {
        let file = try directory.write("authorized_keys", options.authorizedKeys.map { $0 + "\n" }.joined())
        arguments += ["--authorized-keys", file.path]
      }
      let process = try await ServerProcess.start(
        "the SSH server", try PackageFolder.python, arguments, directory: directory, ports: [port],
        timeout: .seconds(30))
      return PasswordSSHServer(process: process, port: port, home: home, hostKey: hostKey)
    }
  }

  private init(process: ServerProcess, port: UInt16, home: URL, hostKey: SSHKeys.Pair) {
    self.process = process
    self.port = port
    self.home = home
    self.hostKey = hostKey
  }

  /// What happened so far, a line each: `password <user> True`, `answer <user> False`.
  package var log: String { process.log }

  /// Waits until the log contains a text.
  package func waitForLog(_ text: String, timeout: Duration = .seconds(10)) async -> Bool {
    await process.logContains(text, timeout: timeout)
  }

  /// Stops the server.
  package func stop() async {
    await process.stop()
  }
}
