import Foundation
import Testing
import URLLoadingTestServers

@testable import SFTPProtocol

/// The algorithms of the installed libssh2, each alone with sshd: whatever it has is used where the server has nothing else.
@Suite struct AlgorithmTests {
  private static let offered = AlgorithmPreferences(
    supported: SSHSession(descriptor: -1)?.supportedAlgorithms() ?? AlgorithmPreferences(), knownKeyTypes: [])

  /// Sends bytes there and back, and returns what was negotiated.
  private func negotiated(hostKeys: [String] = ["ed25519"], _ configuration: [String]) async throws
    -> SSHConnectionMetrics
  {
    var serverOptions = SSHServer.Options()
    serverOptions.hostKeyTypes = hostKeys
    serverOptions.configuration = configuration
    let server = try await SSHServer.start(options: serverOptions)
    var options = try await TestConnection.options(server)
    options.channel = .subsystem("cat")
    // Many packets, and a last one that is no multiple of a block.
    let bytes = TestFiles.pattern(count: 1_000_003)
    let test = TestConnection(options, sending: bytes)
    await test.expectOpen()
    #expect(await test.user.state.wait(timeout: .seconds(60)) { $0.receivedCount >= bytes.count || $0.closeCount > 0 })
    #expect(TestFiles.firstDifference(test.user.state.value.received, bytes) == nil)
    let metrics = test.connection.metrics
    await server.stop()
    return metrics
  }

  @Test func thereAreSome() {
    #expect(Self.offered.cipher.contains("aes256-ctr"))
    #expect(Self.offered.mac.contains("hmac-sha2-256"))
  }

  @Test(arguments: offered.cipher) func aCipher(_ name: String) async throws {
    let metrics = try await negotiated(["Ciphers \(name)"])
    #expect(metrics.cipherIn == name)
    #expect((metrics.macIn == nil) == !name.hasSuffix("-ctr"), "\(metrics.macIn ?? "")")
  }

  @Test(arguments: offered.mac) func aMAC(_ name: String) async throws {
    let metrics = try await negotiated(["Ciphers aes256-ctr", "MACs \(name)"])
    #expect(metrics.macIn == name)
  }

  /// Where both sides have both kinds.
  @Test(.enabled(if: offered.mac.contains { $0.contains("-etm@") })) func theEncryptedPacketIsAuthenticated()
    async throws
  {
    let metrics = try await negotiated(["Ciphers aes256-ctr"])
    #expect(metrics.macIn?.hasSuffix("-etm@openssh.com") == true, "\(metrics.macIn ?? "")")
  }

  @Test(arguments: offered.hostKey.filter { $0.hasPrefix("rsa-sha2-") }) func aSignatureOfAnRSAHostKey(_ name: String)
    async throws
  {
    _ = try await negotiated(hostKeys: ["rsa"], ["HostKeyAlgorithms \(name)"])
  }
}
