import Foundation

/// A redis-server without a disk.
package final class RedisServer: Sendable {
  /// The port of the server.
  package let port: UInt16
  private let process: ServerProcess

  private static let lazy = LazyServer { try await RedisServer.start() }

  /// A server for all tests of this process. Do not stop it.
  package static var shared: RedisServer {
    get async throws { try await lazy.server }
  }

  /// Starts a server of the test's own.
  /// - Parameter password: what clients have to give.
  package static func start(password: String? = nil) async throws -> RedisServer {
    try await ServerProcess.retrying {
      let directory = try TemporaryDirectory("redis")
      let port = try FreePort.pick()
      var arguments = [
        "--bind", "127.0.0.1", "--port", "\(port)", "--save", "", "--appendonly", "no", "--dir", directory.path,
      ]
      if let password { arguments += ["--requirepass", password] }
      let process = try await ServerProcess.start(
        "redis", "redis-server", arguments, directory: directory, ports: [port])
      return RedisServer(process: process, port: port)
    }
  }

  private init(process: ServerProcess, port: UInt16) {
    self.process = process
    self.port = port
  }

  /// A database of the server.
  package func url(database: Int = 0) -> URL {
    var components = URLComponents()
    (components.scheme, components.host, components.port) = ("redis", "127.0.0.1", Int(port))
    components.path = "/\(database)"
    return components.url ?? URL(fileURLWithPath: "/")
  }

  /// Sends a signal to the server: SIGKILL, or SIGSTOP for one that is there and says nothing.
  package func send(signal: Int32) { process.send(signal: signal) }

  /// Has Redis itself list the keys that fit a pattern.
  package func keys(_ pattern: String) async throws -> [String] {
    let output = try await Command.check("redis-cli", ["-p", "\(port)", "--raw", "KEYS", pattern])
    return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Ends the server.
  package func stop() async { await process.stop() }
}
