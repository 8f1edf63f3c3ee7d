import Foundation

/// An HTTP server that wants Digest (RFC 7616) or Basic (RFC 7617) authentication.
///
/// Its paths: `/digest/md5`, `/digest/sha256`, `/digest/both` (SHA-256 first, then MD5), `/digest/legacy` (without
/// qop), `/digest/stale` (every nonce is stale after one use), `/digest/md5-sess`, `/digest/sha256-sess`, `/digest/auth-int` (with the
/// body or not at all), `/digest/either-qop`, `/digest/auth-int-or-basic`, `/basic`, `/either` (Digest and Basic). The answer to
/// an authenticated request is JSON: `user`, `scheme`, `method`, `path`, `body` and the parameters of the
/// Authorization field.
package final class AuthServer: Sendable {
  /// The user that is let in. It is not ASCII only, and the answers say `charset="UTF-8"`.
  package static let user = "Jane Doe"
  /// The password.
  package static let password = "päss: word"
  /// The realm of all paths.
  package static let realm = "Test realm"

  /// The port.
  package let port: UInt16
  private let process: ServerProcess

  private static let lazy = LazyServer { try await AuthServer.start() }

  /// A server for all tests of this process. Do not stop it.
  package static var shared: AuthServer {
    get async throws { try await lazy.server }
  }

  /// Starts a server of the test's own.
  package static func start(user: String = user, password: String = password) async throws -> AuthServer {
    try await ServerProcess.retrying {
      let port = try FreePort.pick()
      let process = try await ServerProcess.start(
        "the authentication server", try PackageFolder.python,
        [
          PackageFolder.script("auth_server.py"), "--port", String(port), "--user", user, "--password", password,
          "--realm", realm,
        ], directory: TemporaryDirectory("auth"), ports: [port])
      return AuthServer(process: process, port: port)
    }
  }

  private init(process: ServerProcess, port: UInt16) {
    self.process = process
    self.port = port
  }

  /// A URL of this server. The path starts with a slash.
  package func url(_ path: String) -> URL {
    URL(string: "http://127.0.0.1:\(port)\(path)") ?? URL(fileURLWithPath: path)
  }

  /// The requests so far, a line each: `method path status "Authorization field"`.
  package var requests: [String] {
    process.log.split(separator: "\n").map(String.init)
  }

  /// Waits until the requests contain a text.
  package func waitForRequest(_ text: String, timeout: Duration = .seconds(5)) async -> Bool {
    await process.logContains(text, timeout: timeout)
  }

  /// Stops the server.
  package func stop() async {
    await process.stop()
  }
}
