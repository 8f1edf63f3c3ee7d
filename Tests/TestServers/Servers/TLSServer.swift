import Foundation

/// HTTP/1.1 servers over TLS, which do what no good server does (`Scripts/tls_server.py`).
///
/// A response's body says the number of its connection, whether that resumed a TLS session, and the client's common name.
package final class TLSServer: Sendable {
  /// What one server does. All but the chains may be left out.
  package struct Options: Codable, Sendable {
    /// Files in PEM form with a chain and its key, one of which is shown in each handshake, in turn.
    package var chains: [String] = []
    /// The oldest and the newest version, such as `1.2`.
    package var minimum: String?
    package var maximum: String?
    /// OpenSSL's list of ciphers.
    package var ciphers: String?
    /// A file with an OCSP response in DER.
    package var staple: String?
    /// Whether a certificate of the client is `optional` or `required`.
    package var clientCertificate: String?
    /// A file with the authorities that these may come from.
    package var clientAuthorities: String?
    /// Asks for another handshake in the middle of a response.
    package var renegotiates: Bool?
    /// Closes each connection after one response.
    package var closes: Bool?
    /// `plain` for HTTP without TLS, `nothing` for the end of the connection in the handshake.
    package var speaks: String?
    /// Files whose bytes are shown as certificates, whatever they are; nothing comes after them.
    package var shows: [String]?

    package init(chains: [String] = []) { self.chains = chains }
  }

  /// What the servers have logged of one of them.
  package struct Log: Sendable {
    /// A handshake that came to its end.
    package struct Handshake: Sendable {
      package let connection: Int
      package let version: String
      package let isResumed: Bool
      /// The client's common name; nil for none.
      package let subject: String?
    }

    package var handshakes: [Handshake] = []
    /// Handshakes that did not, by the numbers of their connections.
    package var failures: [Int] = []
    /// The connection and the path of each request.
    package var requests: [(connection: Int, path: String)] = []
  }

  private let process: ServerProcess
  private let ports: [String: UInt16]

  /// Starts servers.
  /// - Parameter options: those of each, by its name.
  package static func start(_ options: [String: Options]) async throws -> TLSServer {
    try await ServerProcess.retrying {
      let ready = try FreePort.pick()
      let directory = try TemporaryDirectory("tls")
      let servers = try directory.write("servers.json", try JSONEncoder().encode(options))
      let ports = directory.file("ports.json")
      let process = try await ServerProcess.start(
        "the TLS servers", try PackageFolder.python,
        [
          PackageFolder.script("tls_server.py"), "--servers", servers.path, "--ports", ports.path, "--ready",
          String(ready),
        ], directory: directory, ports: [ready], timeout: .seconds(30))
      return TLSServer(
        process: process, ports: try JSONDecoder().decode([String: UInt16].self, from: Data(contentsOf: ports)))
    }
  }

  private init(process: ServerProcess, ports: [String: UInt16]) {
    self.process = process
    self.ports = ports
  }

  /// The names of the servers.
  package var names: [String] { ports.keys.sorted() }

  /// A URL of a server. The path starts with a slash.
  package func url(_ name: String, _ path: String = "/", host: String = "127.0.0.1") throws -> URL {
    guard let port = ports[name], let url = URL(string: "https://\(host):\(port)\(path)") else {
      throw TestServerError("there is no TLS server \(name)")
    }
    return url
  }

  /// What a server has logged so far.
  package func log(of name: String) -> Log {
    var log = Log()
    for line in process.log.split(separator: "\n") {
      let fields = line.split(separator: "\t").map(String.init)
      guard fields.count > 3, fields[1] == name, let connection = Int(fields[2]) else { continue }
      switch (fields[0], fields.count) {
      case ("handshake", 6):
        log.handshakes.append(
          Log.Handshake(
            connection: connection, version: fields[3], isResumed: fields[4] == "1",
            subject: fields[5] == "-" ? nil : fields[5]))
      case ("failed", _): log.failures.append(connection)
      case ("request", _): log.requests.append((connection, fields[3]))
      default: break
      }
    }
    return log
  }

  /// Waits until a server's log fulfils a condition; false if it does not in time.
  package func waitForLog(
    of name: String, timeout: Duration = .seconds(20), until condition: (Log) -> Bool
  ) async throws -> Bool {
    try await eventually(timeout: timeout) { condition(log(of: name)) }
  }

  /// Stops the servers.
  package func stop() async {
    await process.stop()
  }
}
