import Foundation
import URLLoadingTestServers

/// A server behind a gate, with the file of a download or a place for an upload.
struct SoakServer {
  /// The pattern that the servers' large file has.
  static let downloadSeed: UInt64 = 1

  let gate: ServerGate
  /// The URL of the file, as people type it.
  let address: String
  /// The file that an upload becomes.
  let stored: URL
  let stop: @Sendable () async -> Void

  /// - Parameter fixture: gets what the service needs to log in.
  static func start(_ given: SoakCase, for fixture: BackgroundFixture) async throws -> SoakServer {
    switch given.scheme {
    case .http, .vault: try await web(given)
    case .ftp: try await ftp(given)
    case .sftp: try await sftp(given, fixture)
    case .archive: try await archive(given)
    }
  }

  private static func web(_ given: SoakCase) async throws -> SoakServer {
    let server = try await NginxServer.start(largeSize: given.isUpload ? 0 : given.size)
    let gate = try ServerGate(ports: [server.port()])
    let path = given.isUpload ? "/upload/soak.bin" : "/large.bin"
    return SoakServer(
      gate: gate, address: "\(given.scheme.rawValue)://\(ServerGate.host):\(server.port())\(path)",
      stored: server.uploads.appending(path: "soak.bin"), stop: { await server.stop() })
  }

  private static func ftp(_ given: SoakCase) async throws -> SoakServer {
    var options = FTPServer.Options()
    options.passivePorts = try FreePort.pick(8)
    let server = try await FTPServer.start(options: options, largeSize: given.isUpload ? 0 : given.size)
    let gate = try ServerGate(ports: [server.port] + options.passivePorts)
    let url = server.url(
      given.isUpload ? "/soak.bin" : "/large.bin", user: FTPServer.user, password: FTPServer.password)
    return SoakServer(
      gate: gate, address: gate.address(url.absoluteString), stored: server.documentRoot.appending(path: "soak.bin"),
      stop: { await server.stop() })
  }

  private static func sftp(_ given: SoakCase, _ fixture: BackgroundFixture) async throws -> SoakServer {
    let server = try await SSHServer.start()
    let gate = try ServerGate(ports: [server.port])
    let key = try await SSHServer.clientKeys.ed25519.file.path
    try fixture.directory.write(".ssh/known_hosts", gate.address(server.knownHosts))
    try fixture.directory.write(".ssh/config", "Host *\n  IdentityFile \"\(key)\"\n  IdentitiesOnly yes\n")
    chmod(fixture.directory.file(".ssh/config").path, 0o600)
    let file = server.home.appending(path: "soak.bin")
    if !given.isUpload { try TestFiles.write(count: given.size, seed: downloadSeed, to: file) }
    return SoakServer(
      gate: gate, address: gate.address(server.url("/~/soak.bin").absoluteString), stored: file,
      stop: { await server.stop() })
  }

  private static func archive(_ given: SoakCase) async throws -> SoakServer {
    let server = try await NginxServer.start(largeSize: given.size)
    let gate = try ServerGate(ports: [server.port()])
    let file = server.documentRoot.appending(path: "large.bin")
    let archive = server.documentRoot.appending(path: "soak.zip")
    // Its bytes cannot be compressed.
    try await Command.check("zip", ["-0", "-q", "-j", archive.path, file.path], timeout: .seconds(300))
    return SoakServer(
      gate: gate, address: "archive:\(gate.address(server.url("/soak.zip").absoluteString))!/large.bin", stored: file,
      stop: { await server.stop() })
  }
}
