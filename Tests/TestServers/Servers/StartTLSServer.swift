import Foundation

/// A server of lines on which TLS begins when the client asks: `echo TEXT`; `STARTTLS`; and, each with the answer `go`, `INJECT`, which
/// sends a line in the clear after it, `GARBAGE`, `CLOSE` and `SILENCE` in place of a handshake; `GOODBYE`, `RESET` and `LEAVE` say `bye`
/// and end the connection: the first as TLS wants it (close_notify), the last without that notice.
package final class StartTLSServer: Sendable {
  /// The port.
  package let port: UInt16
  private let process: ServerProcess

  /// Starts one.
  /// - Parameter identity: what it shows; the usual certificate where that is nil.
  package static func start(_ identity: TestCertificates.Identity? = nil) async throws -> StartTLSServer {
    let usual = try await TestCertificates.shared.server
    let identity = identity ?? usual
    return try await ServerProcess.retrying {
      let port = try FreePort.pick()
      let process = try await ServerProcess.start(
        "the STARTTLS server", try PackageFolder.python,
        [
          PackageFolder.script("starttls_server.py"), "--port", String(port), "--certificate",
          identity.certificate.path,
          "--key", identity.key.path,
        ], directory: TemporaryDirectory("starttls"), ports: [port])
      return StartTLSServer(process: process, port: port)
    }
  }

  private init(process: ServerProcess, port: UInt16) {
    self.process = process
    self.port = port
  }

  /// Stops the server.
  package func stop() async { await process.stop() }
}
