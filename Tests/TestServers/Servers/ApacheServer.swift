import Foundation
import Glibc

/// An Apache in front of another server: HTTP/1.1, and HTTPS with mod_http2.
package final class ApacheServer: FrontServer {
  /// The port of HTTP/1.1.
  package let port: UInt16
  /// The port of HTTPS, which offers HTTP/2.
  package let securePort: UInt16
  private let process: ServerProcess

  /// Starts one.
  ///
  /// - Parameters:
  ///   - origin: the port of the server behind.
  ///   - requestsPerConnection: how many requests it takes on a connection.
  package static func start(before origin: UInt16, requestsPerConnection: Int = 1000) async throws -> ApacheServer {
    try await ServerProcess.retrying {
      let directory = try TemporaryDirectory("apache")
      let ports = try FreePort.pick(2)
      let identity = try await TestCertificates.shared.server
      let modules = ["mpm_event", "authz_core", "socache_shmcb", "ssl", "http2", "proxy", "proxy_http"]
      try directory.write(
        "apache.conf",
        """
        \(modules.map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }.joined(separator: "\n"))
        \(geteuid() == 0 ? "User www-data\nGroup www-data" : "")
        ServerName localhost
        DefaultRuntimeDir \(directory.path)
        PidFile \(directory.path)/apache.pid
        ErrorLog /dev/stderr
        Listen 127.0.0.1:\(ports[0])
        Listen 127.0.0.1:\(ports[1])
        StartServers 1
        ServerLimit 4
        ThreadsPerChild 64
        MaxRequestWorkers 128
        KeepAliveTimeout 120
        MaxKeepAliveRequests \(requestsPerConnection)
        ProxyPass / http://127.0.0.1:\(origin)/
        <VirtualHost *:\(ports[1])>
          SSLEngine on
          SSLCertificateFile \(identity.certificate.path)
          SSLCertificateKeyFile \(identity.key.path)
          Protocols h2 http/1.1
          ProxyPass / http://127.0.0.1:\(origin)/
        </VirtualHost>
        """)
      let process = try await ServerProcess.start(
        "apache", "apache2", ["-D", "FOREGROUND", "-d", directory.path, "-f", directory.file("apache.conf").path],
        directory: directory, ports: ports)
      // It listens before it handles signals, and SIGWINCH is ignored until then.
      guard await process.logContains("resuming normal operations", timeout: .seconds(20)) else {
        throw TestServerError("Apache is not ready: \(process.log)")
      }
      return ApacheServer(process: process, port: ports[0], securePort: ports[1])
    }
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

  package func reload() { process.send(signal: SIGUSR1) }

  package func finish() { process.send(signal: SIGWINCH) }

  package var isRunning: Bool { process.isRunning }

  /// What Apache reported.
  package var log: String { process.log }

  package func stop() async { await process.stop() }
}
