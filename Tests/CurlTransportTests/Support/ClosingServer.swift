import URLLoadingCurlTransport
import URLLoadingTestServers

/// An nginx that closes each connection after its response, and keeps no TLS sessions: a client resumes those of which it has the ticket.
///
/// A response's body is `r` on a connection that has resumed a session, else `.`.
struct ClosingServer {
  static let versions = [TLSConfiguration.Version.v12, .v13]

  private let nginx: NginxServer
  private let ports: [UInt16]

  static func start() async throws -> ClosingServer {
    let identity = try await TestCertificates.shared.server
    let ports = try FreePort.pick(versions.count)
    let servers = zip(["TLSv1.2", "TLSv1.3"], ports).map { version, port in
      """
      server {
        listen 127.0.0.1:\(port) ssl;
        ssl_certificate \(identity.certificate.path);
        ssl_certificate_key \(identity.key.path);
        ssl_protocols \(version);
        ssl_session_cache none;
        keepalive_timeout 0;
        location / { return 200 '$ssl_session_reused'; }
      }
      """
    }
    let nginx = try await NginxServer.start(largeSize: 0, directives: servers.joined(separator: "\n"))
    return ClosingServer(nginx: nginx, ports: ports)
  }

  func url(_ version: TLSConfiguration.Version) -> String {
    "https://127.0.0.1:\(ports[version == .v12 ? 0 : 1])/"
  }

  func stop() async { await nginx.stop() }
}

extension TransferEngine {
  /// Whether the connection of a request to a ``ClosingServer`` has resumed a session; nil for a failure.
  nonisolated func resumes(_ url: String, _ security: ConnectionSecurity? = nil) async throws -> Bool? {
    var request = TransferRequest(url: url)
    request.security = security
    let state = try await run(request)
    return state.failure == nil ? state.body == [UInt8]("r".utf8) : nil
  }
}
