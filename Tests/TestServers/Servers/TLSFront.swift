import Foundation

/// Ends TLS in front of a `ScriptedServer`, whose script then speaks what was agreed on (RFC 7301), HTTP/2 as a rule.
///
/// It passes on what comes, and closes without a word where the script does.
package final class TLSFront: Sendable {
  /// The port of TLS.
  package let port: UInt16
  private let process: ServerProcess

  /// Starts one.
  ///
  /// - Parameters:
  ///   - backend: the port of the server that it stands in front of.
  ///   - name: the protocol, as ALPN has it.
  ///   - identity: what it shows; the usual certificate where that is nil.
  ///   - other: what it shows from the second handshake on; nil for the same.
  ///   - clientAuthority: a file with the authority that clients' certificates have to come from; nil where they need none.
  ///   - abandoned: how many connections it closes behind its part of the handshake.
  ///   - resets: whether it resets the client's connection where the script closes, and not before all was sent.
  package static func start(
    before backend: UInt16, speaking name: String = "h2", as identity: TestCertificates.Identity? = nil,
    then other: TestCertificates.Identity? = nil, clientAuthority: URL? = nil, abandoned: Int = 0, resets: Bool = false
  ) async throws -> TLSFront {
    let usual = try await TestCertificates.shared.server
    let identity = identity ?? usual
    let options =
      (clientAuthority.map { ["--client-authority", $0.path] } ?? [])
      + ["--abandons", String(abandoned)]
      + (resets ? ["--resets"] : [])
      + (other.map { ["--then", $0.certificate.path, $0.key.path] } ?? [])
    return try await ServerProcess.retrying {
      let port = try FreePort.pick()
      let process = try await ServerProcess.start(
        "the TLS front", try PackageFolder.python,
        [
          PackageFolder.script("tls_front.py"), "--port", String(port), "--backend", String(backend),
          "--certificate", identity.certificate.path, "--key", identity.key.path, "--protocol", name,
        ] + options, directory: TemporaryDirectory("tls-front"), ports: [port])
      return TLSFront(process: process, port: port)
    }
  }

  private init(process: ServerProcess, port: UInt16) {
    self.process = process
    self.port = port
  }

  /// A URL of the server behind. The path starts with a slash.
  package func url(_ path: String = "/") -> URL {
    URL(string: "https://127.0.0.1:\(port)\(path)") ?? URL(fileURLWithPath: path)
  }

  /// The handshakes so far: the common name of the client's certificate, `-` for none, or nil where the handshake failed.
  package var handshakes: [String?] {
    process.log.split(separator: "\n").filter { !["used", "reset", "abandoned"].contains($0) }.map { line in
      line.hasPrefix("handshake ") ? String(line.dropFirst(10)) : nil
    }
  }

  /// How many connections were reset.
  package var resets: Int { process.log.split(separator: "\n").count { $0 == "reset" } }

  /// How many connections were closed behind the server's part of the handshake.
  package var abandoned: Int { process.log.split(separator: "\n").count { $0 == "abandoned" } }

  /// How many connections a client has sent something on, after the handshake.
  package var usedConnections: Int { process.log.split(separator: "\n").count { $0 == "used" } }

  /// Stops it.
  package func stop() async { await process.stop() }
}
