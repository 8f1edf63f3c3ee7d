import Foundation

/// An HTTP server that logs connections in: NTLM, whose NTLMv2 responses pyspnego verifies, or Negotiate, by MIT's GSS-API.
///
/// An answer is `user number path`: who is logged in, on which connection.
package final class LoginServer: Sendable {
  /// The users of NTLM, and their passwords. Their domain is ``domain``.
  package static let users = ["alice": "secret", "bob": "other"]
  /// The domain of the users of NTLM.
  package static let domain = "TEST"

  /// The port.
  package let port: UInt16
  private let process: ServerProcess

  /// A server for NTLM, or a proxy that wants it: that one answers requests for `http` itself, and makes tunnels.
  package static func ntlm(isProxy: Bool = false) async throws -> LoginServer {
    let directory = try TemporaryDirectory("ntlm")
    let lines = users.map { "\(domain):\($0.key):\($0.value)\n" }.joined()
    let file = try directory.write("users", Data(lines.utf8))
    return try await start("NTLM", ["NTLM_USER_FILE": file.path], directory, isProxy: isProxy)
  }

  /// A server for Negotiate.
  package static func negotiate(in realm: KerberosRealm) async throws -> LoginServer {
    try await start("Negotiate", realm.environment, TemporaryDirectory("negotiate"))
  }

  private static func start(
    _ scheme: String, _ environment: [String: String?], _ directory: TemporaryDirectory, isProxy: Bool = false
  ) async throws -> LoginServer {
    try await ServerProcess.retrying {
      let port = try FreePort.pick()
      let process = try await ServerProcess.start(
        "the login server", try PackageFolder.python,
        [PackageFolder.script("login_server.py"), "--port", String(port), "--scheme", scheme]
          + (isProxy ? ["--proxy"] : []),
        environment: environment, directory: directory, ports: [port])
      return LoginServer(process: process, port: port)
    }
  }

  private init(process: ServerProcess, port: UInt16) {
    self.process = process
    self.port = port
  }

  /// A URL of this server. The path starts with a slash.
  package func url(_ path: String = "/", host: String = "localhost") -> URL {
    URL(string: "http://\(host):\(port)\(path)") ?? URL(fileURLWithPath: path)
  }

  /// A line for each request that was served, `served number user path`, and for each token that was refused.
  package var log: [String] { process.log.split(separator: "\n").map(String.init) }

  /// Stops the server.
  package func stop() async { await process.stop() }
}
