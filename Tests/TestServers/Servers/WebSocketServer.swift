import Foundation

/// A WebSocket server, Python's `websockets`, which does what the path says: `/echo`, `/close?code=&reason=`, `/abort` (a reset), `/fin`
/// (an end without a close frame), `/raw?bytes=` in hexadecimal, `/fields`, `/flood?count=` of 64 KiB, `/late?seconds=`, `/ping`,
/// `/missing`, `/redirect`, `/cookie`; `/login` by Basic and `/digest` by Digest as alice with secret.
package final class WebSocketServer: Sendable {
  /// The port.
  package let port: UInt16
  private let process: ServerProcess

  /// Starts one.
  package static func start() async throws -> WebSocketServer {
    try await ServerProcess.retrying {
      let port = try FreePort.pick()
      let process = try await ServerProcess.start(
        "the WebSocket server", try PackageFolder.python,
        [PackageFolder.script("websocket_server.py"), "--port", String(port)],
        directory: TemporaryDirectory("websocket"), ports: [port])
      return WebSocketServer(process: process, port: port)
    }
  }

  private init(process: ServerProcess, port: UInt16) {
    self.process = process
    self.port = port
  }

  /// A URL of this server. The path starts with a slash.
  package func url(_ path: String, scheme: String = "ws") -> URL {
    URL(string: "\(scheme)://127.0.0.1:\(port)\(path)") ?? URL(fileURLWithPath: path)
  }

  /// A line for each connection that was closed: `closed code reason`.
  package var log: String { process.log }

  /// Stops the server.
  package func stop() async { await process.stop() }
}
