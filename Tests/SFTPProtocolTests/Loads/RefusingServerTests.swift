import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@testable import SFTPProtocol

/// Loads from a server that refuses what a client has to do without, as OpenSSH's does.
@Suite struct RefusingServerTests {
  private func start(_ refuses: PasswordSSHServer.Options.Refusal...) async throws -> (PasswordSSHServer, SSHHome) {
    var options = PasswordSSHServer.Options()
    options.refuses = refuses
    let server = try await PasswordSSHServer.start(options: options)
    return (server, try SSHHome(knownHosts: "[127.0.0.1]:\(server.port) \(server.hostKey.publicLine)\n"))
  }

  @Test func loadsWithoutFSTAT() async throws {
    let (server, home) = try await start(.fstat)
    let contents = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 * 7) })
    try contents.write(to: server.home.appendingPathComponent("f"))
    let url = try server.url(password: PasswordSSHServer.password)
    #expect(try await home.session.data(from: url).0 == contents)
    await server.stop()
  }

  @Test(arguments: [PasswordSSHServer.Options.Refusal.lstat, .rename, .dot, .exclusive, .fstat])
  func storesNewAndOldFiles(_ refusal: PasswordSSHServer.Options.Refusal) async throws {
    let (server, home) = try await start(refusal)
    let file = server.home.appendingPathComponent("f")
    var request = URLRequest(url: try server.url(password: PasswordSSHServer.password))
    request.httpMethod = "PUT"
    for contents in [Data(repeating: 1, count: 300_000), Data("two".utf8), Data()] {
      _ = try await home.session.upload(for: request, from: contents)
      #expect(try Data(contentsOf: file) == contents)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: server.home.path) == ["f"])
    request.setValue("*", forHTTPHeaderField: "If-None-Match")
    let error = await #expect(throws: URLError.self) {
      try await home.session.upload(for: request, from: Data("three".utf8))
    }
    #expect(error?.code == .cannotCreateFile)
    #expect(try Data(contentsOf: file).isEmpty)
    await server.stop()
  }
}
