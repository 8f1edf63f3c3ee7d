import Foundation

/// A SOCKS 5 proxy (microsocks), with or without a user name and password (RFC 1929).
package final class SOCKSServer: Sendable {
  /// The name that a server with authentication lets in.
  package static let user = "socksuser"
  /// The password that a server with authentication wants.
  package static let password = "sockspass"

  /// The port of the proxy.
  package let port: UInt16
  private let process: ServerProcess

  private static let lazy = LazyServer { try await SOCKSServer.start() }

  /// A proxy for all tests of this process, without authentication. Do not stop it.
  package static var shared: SOCKSServer {
    get async throws { try await lazy.server }
  }

  /// Starts a proxy of the test's own.
  package static func start(authenticates: Bool = false) async throws -> SOCKSServer {
    try await ServerProcess.retrying {
      let port = try FreePort.pick()
      let directory = try TemporaryDirectory("socks")
      let process = try await ServerProcess.start(
        "microsocks", "microsocks",
        ["-i", "127.0.0.1", "-p", String(port)] + (authenticates ? ["-u", user, "-P", password] : []),
        directory: directory, ports: [port])
      return SOCKSServer(process: process, port: port)
    }
  }

  private init(process: ServerProcess, port: UInt16) {
    self.process = process
    self.port = port
  }

  /// A line for each connection that was made, such as `client[4] 127.0.0.1: connected to 127.0.0.1:80`.
  package var connections: [String] {
    process.log.split(separator: "\n").map(String.init).filter { $0.contains("connected to") }
  }

  /// Waits until a connection to a port of 127.0.0.1 or a named host was made.
  package func waitForConnection(to port: UInt16, timeout: Duration = .seconds(5)) async -> Bool {
    await process.logContains(":\(port)\n", timeout: timeout)
  }

  /// Stops the proxy.
  package func stop() async {
    await process.stop()
  }
}
