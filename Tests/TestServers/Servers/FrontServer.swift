import Foundation

/// A server in front of another, which ends connections as its program does: at a limit, when it is configured anew, and when it stops in
/// good order.
package protocol FrontServer: Sendable {
  /// A URL of the server behind, by HTTP/1.1, or by HTTPS, which offers HTTP/2. The path starts with a slash.
  func url(_ path: String, secure: Bool) -> URL

  /// Has it read its configuration anew, which ends the connections of the old one in good order.
  func reload() async throws

  /// Has it listen no more, finish what it has begun, and end.
  func finish()

  /// Whether it runs.
  var isRunning: Bool { get }

  /// Stops it and deletes its files.
  func stop() async
}

/// The programs that can be in front.
package enum FrontProgram: String, CaseIterable, Sendable {
  case nginx, caddy, apache, haproxy

  /// Starts one.
  ///
  /// - Parameters:
  ///   - origin: the port of the server behind, which speaks HTTP/1.1.
  ///   - requestsPerConnection: how many requests it takes on a connection, where it has such a limit: nginx and apache.
  package func start(before origin: UInt16, requestsPerConnection: Int = 1000) async throws -> any FrontServer {
    switch self {
    case .nginx: try await NginxServer.start(before: origin, requestsPerConnection: requestsPerConnection)
    case .caddy: try await CaddyServer.start(before: origin)
    case .apache: try await ApacheServer.start(before: origin, requestsPerConnection: requestsPerConnection)
    case .haproxy: try await HAProxyServer.start(before: origin)
    }
  }
}
