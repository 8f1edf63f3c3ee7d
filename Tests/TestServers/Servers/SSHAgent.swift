import Foundation
import Glibc

/// An `ssh-agent` of a test's own.
package final class SSHAgent: Sendable {
  /// The path of its socket, for `SSH_AUTH_SOCK`.
  package let socket: String
  private let process: ChildProcess
  private let directory: TemporaryDirectory

  /// Starts an agent that holds the given keys, which have no passphrase.
  package static func start(holding keys: [SSHKeys.Pair]) async throws -> SSHAgent {
    let directory = try TemporaryDirectory("agent")
    let socket = directory.file("socket").path
    let log = directory.file("log")
    let process = try ChildProcess("ssh-agent", ["-D", "-a", socket], output: log, error: log)
    let agent = SSHAgent(socket: socket, process: process, directory: directory)
    // The socket is there before anybody listens to it; 2 is said where the agent cannot be reached.
    let environment = ["SSH_AUTH_SOCK": socket]
    let answers = try await eventually(timeout: .seconds(10)) {
      try await Command.run("ssh-add", ["-l"], environment: environment).status != .exited(2)
    }
    guard answers else { throw TestServerError("ssh-agent does not answer") }
    for key in keys {
      let outcome = try await Command.run("ssh-add", ["-q", key.file.path], environment: environment)
      guard outcome.status == .exited(0) else { throw TestServerError("ssh-add: \(outcome.error)") }
    }
    return agent
  }

  private init(socket: String, process: ChildProcess, directory: TemporaryDirectory) {
    self.socket = socket
    self.process = process
    self.directory = directory
  }

  /// Ends the agent.
  package func stop() async {
    await process.stop()
    directory.remove()
  }
}
