import Foundation
import Glibc
internal import URLLoadingBase

/// A caddy with the files of `DocumentRoot`: HTTP, and HTTPS with HTTP/1.1, HTTP/2 and HTTP/3.
package final class CaddyServer: FrontServer {
  /// The port of HTTP.
  package let port: UInt16
  /// The port of HTTPS, TCP and UDP.
  package let securePort: UInt16
  /// The folder with the files; tests may add to it.
  package let documentRoot: URL
  private let running: Locked<ServerProcess>
  private var process: ServerProcess { running.withLock { $0 } }

  private static let lazy = LazyServer { try await CaddyServer.start() }

  /// A server for all tests of this process. Do not stop it.
  package static var shared: CaddyServer {
    get async throws { try await lazy.server }
  }

  /// Starts a server of the test's own.
  ///
  /// Files are compressed with zstd or gzip where the client accepts that; `large.bin` has `largeSize` bytes.
  ///
  /// - Parameters:
  ///   - largeSize: the size of `large.bin` in bytes.
  ///   - directives: more directives of caddy for both ports.
  ///   - tls: subdirectives of `tls`.
  package static func start(
    largeSize: Int = DocumentRoot.largeSize, directives: String = "", tls: String = ""
  ) async throws -> CaddyServer {
    try await start(largeSize: largeSize, tls: tls) { root in
      """
      root * \(root.path)
      encode zstd gzip
      file_server browse
      log
      \(directives)
      """
    }
  }

  /// Starts a server that is in front of another, for all paths.
  ///
  /// - Parameter origin: the port of the server behind.
  package static func start(before origin: UInt16) async throws -> CaddyServer {
    try await start(largeSize: 0, tls: "") { _ in "reverse_proxy 127.0.0.1:\(origin)" }
  }

  private static func start(
    largeSize: Int, tls: String, serving directives: @Sendable (URL) -> String
  ) async throws -> CaddyServer {
    try await ServerProcess.retrying {
      let directory = try TemporaryDirectory("caddy")
      let root = directory.file("root")
      try DocumentRoot.fill(root, largeSize: largeSize)
      let ports = try FreePort.pick(2)
      let identity = try await TestCertificates.shared.server
      try directory.write(
        "Caddyfile",
        """
        {
          admin unix/\(directory.path)/admin.sock
          auto_https off
          default_sni localhost
          servers {
            protocols h1 h2 h3
            # Else 2.6.2 refuses clients' certificates over HTTP/3, where it does not know the name that was asked for.
            strict_sni_host insecure_off
          }
        }
        (site) {
          bind 127.0.0.1
          \(directives(root))
        }
        http://:\(ports[0]) {
          import site
        }
        https://:\(ports[1]) {
          tls \(identity.certificate.path) \(identity.key.path) {
            \(tls)
          }
          import site
        }
        """)
      let process = try await run(in: directory, ports)
      return CaddyServer(process: process, ports: ports, documentRoot: root)
    }
  }

  private static func run(in directory: TemporaryDirectory, _ ports: [UInt16]) async throws -> ServerProcess {
    let home = directory.path
    return try await ServerProcess.start(
      "caddy", "caddy", ["run", "--config", "Caddyfile", "--adapter", "caddyfile"],
      environment: ["HOME": home, "XDG_CONFIG_HOME": home, "XDG_DATA_HOME": home],
      directory: directory, ports: ports)
  }

  private init(process: ServerProcess, ports: [UInt16], documentRoot: URL) {
    running = Locked(process)
    port = ports[0]
    securePort = ports[1]
    self.documentRoot = documentRoot
  }

  /// An `https` or `http` URL of this server. The path starts with a slash.
  package func url(_ path: String = "/small.txt", secure: Bool = true) -> URL {
    let origin = secure ? "https://127.0.0.1:\(securePort)" : "http://127.0.0.1:\(port)"
    return URL(string: origin + path) ?? URL(fileURLWithPath: path)
  }

  package func reload() async throws {
    // The same configuration is taken again by force alone.
    try await Command.check(
      "caddy",
      [
        "reload", "--force", "--config", process.directory.file("Caddyfile").path, "--adapter", "caddyfile",
        "--address",
        "unix/\(process.directory.path)/admin.sock",
      ])
  }

  /// Kills the server, which tells nobody, and starts it anew on the same ports.
  package func killAndRestart() async throws {
    let old = process
    old.send(signal: SIGKILL)
    _ = try await eventually { !old.isRunning }
    let new = try await Self.run(in: old.directory, [port, securePort])
    running.withLock { $0 = new }
  }

  package func finish() { process.send(signal: SIGTERM) }

  package var isRunning: Bool { process.isRunning }

  /// What caddy wrote: a JSON object a line, one for each request.
  package var log: String { process.log }

  /// Stops the server and deletes its files.
  package func stop() async {
    await process.stop()
  }
}
