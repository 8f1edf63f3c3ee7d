import Foundation
import Glibc

/// An haproxy in front of another server: HTTP/1.1, and HTTPS with HTTP/2.
package final class HAProxyServer: FrontServer {
  /// The port of HTTP/1.1.
  package let port: UInt16
  /// The port of HTTPS, which offers HTTP/2.
  package let securePort: UInt16
  private let process: ServerProcess

  /// Starts one.
  ///
  /// - Parameter origin: the port of the server behind.
  package static func start(before origin: UInt16) async throws -> HAProxyServer {
    try await ServerProcess.retrying {
      let directory = try TemporaryDirectory("haproxy")
      let ports = try FreePort.pick(2)
      let identity = try await TestCertificates.shared.server
      // It wants both in one file.
      let pair = try Data(contentsOf: identity.certificate) + Data(contentsOf: identity.key)
      try directory.write("identity.pem", pair)
      // The listening sockets are handed on at a reload, so that no connection is refused meanwhile.
      try directory.write(
        "haproxy.cfg",
        """
        global
          stats socket \(directory.path)/haproxy.sock mode 600 level admin expose-fd listeners
        defaults
          mode http
          timeout connect 10s
          timeout client 120s
          timeout server 120s
          default_backend origin
        frontend plain
          bind 127.0.0.1:\(ports[0])
        frontend secure
          bind 127.0.0.1:\(ports[1]) ssl crt \(directory.path)/identity.pem alpn h2,http/1.1
        backend origin
          server origin 127.0.0.1:\(origin)

        """)
      let process = try await ServerProcess.start(
        "haproxy", "haproxy", ["-W", "-db", "-f", directory.file("haproxy.cfg").path], directory: directory,
        ports: ports)
      // Its worker answers before the master, which starts itself anew, takes signals.
      guard (try? await eventually(timeout: .seconds(20), { takesSignals(process.processID) })) == true else {
        throw TestServerError("haproxy is not ready: \(process.log)")
      }
      return HAProxyServer(process: process, port: ports[0], securePort: ports[1])
    }
  }

  /// Whether a master has started itself anew, and handles SIGUSR1.
  private static func takesSignals(_ master: pid_t) -> Bool {
    let folder = URL(fileURLWithPath: "/proc/\(master)")
    guard let environment = try? Data(contentsOf: folder.appendingPathComponent("environ")),
      environment.range(of: Data("HAPROXY_MWORKER_WAIT_ONLY=1".utf8)) != nil,
      let status = try? String(contentsOf: folder.appendingPathComponent("status"), encoding: .utf8),
      let caught = status.split(separator: "\n").first(where: { $0.hasPrefix("SigCgt:") }),
      let signals = UInt64(caught.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16)
    else { return false }
    return signals & 1 << UInt64(SIGUSR1 - 1) != 0
  }

  private init(process: ServerProcess, port: UInt16, securePort: UInt16) {
    self.process = process
    self.port = port
    self.securePort = securePort
  }

  package func url(_ path: String, secure: Bool = true) -> URL {
    let origin = secure ? "https://127.0.0.1:\(securePort)" : "http://127.0.0.1:\(port)"
    return URL(string: origin + path) ?? URL(fileURLWithPath: path)
  }

  package func reload() { process.send(signal: SIGUSR2) }

  package func finish() { process.send(signal: SIGUSR1) }

  package var isRunning: Bool { process.isRunning }

  /// What haproxy reported.
  package var log: String { process.log }

  package func stop() async { await process.stop() }
}
