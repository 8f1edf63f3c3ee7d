import Foundation

/// HTTP/3 servers that do what no good server does (`Scripts/quic_server.py`). Nobody answers by TCP on their ports.
package final class QUICServer: Sendable {
  private let process: ServerProcess
  private let ports: [String: UInt16]

  /// The body of an answer to a path that asks for nothing else.
  package static let body = Data((0..<12_500).map { String(format: "%07d\n", $0) }.joined().utf8)

  /// Starts servers.
  /// - Parameter seed: what random ones begin with.
  package static func start(seed: Int = 1) async throws -> QUICServer {
    try await ServerProcess.retrying {
      let ready = try FreePort.pick()
      let directory = try TemporaryDirectory("quic")
      let ports = directory.file("ports.json")
      let certificates = try await TestCertificates.shared
      let process = try await ServerProcess.start(
        "the QUIC servers", try PackageFolder.python,
        [
          PackageFolder.script("quic_server.py"), "--certificate", certificates.server.certificate.path, "--key",
          certificates.server.key.path, "--untrusted", certificates.selfSigned.certificate.path, "--untrusted-key",
          certificates.selfSigned.key.path, "--ports", ports.path, "--ready", String(ready), "--seed", String(seed),
        ], directory: directory, ports: [ready], timeout: .seconds(30))
      return QUICServer(
        process: process, ports: try JSONDecoder().decode([String: UInt16].self, from: Data(contentsOf: ports)))
    }
  }

  private init(process: ServerProcess, ports: [String: UInt16]) {
    self.process = process
    self.ports = ports
  }

  /// The port of a server.
  package func port(_ name: String = "good") throws -> UInt16 {
    guard let port = ports[name] else { throw TestServerError("there is no QUIC server \(name)") }
    return port
  }

  /// A URL of a server. The path starts with a slash.
  package func url(_ path: String = "/", of name: String = "good") throws -> URL {
    guard let url = URL(string: "https://127.0.0.1:\(try port(name))\(path)") else {
      throw TestServerError("there is no URL with the path \(path)")
    }
    return url
  }

  /// How many requests a server has got for a path.
  package func requests(for path: String, of name: String = "good") -> Int {
    process.log.split(separator: "\n").count { $0 == "request\t\(name)\t\(path)" }
  }

  /// Stops the servers.
  package func stop() async {
    await process.stop()
  }
}
