import Foundation
import Testing
import URLLoadingTestServers

/// The servers themselves, by OpenSSH's own client.
@Suite struct SSHServerTests {
  @Test func servesOpenSSHsClient() async throws {
    let server = try await SSHServer.shared
    let keys = try await SSHServer.clientKeys
    let directory = try TemporaryDirectory("ssh")
    let known = try directory.write("known_hosts", server.knownHosts)
    try Data("hello".utf8).write(to: server.home.appendingPathComponent("greeting"))
    let batch = try directory.write("batch", "get greeting \(directory.path)/got\n")
    for key in keys.all {
      try await Command.check(
        "sftp",
        [
          "-q", "-b", batch.path, "-P", String(server.port), "-F", "none", "-i", key.file.path, "-o",
          "IdentitiesOnly=yes",
          "-o", "IdentityAgent=none", "-o", "UserKnownHostsFile=\(known.path)", "-o", "StrictHostKeyChecking=yes",
          "\(SSHServer.user)@127.0.0.1",
        ])
      #expect(try Data(contentsOf: directory.file("got")) == Data("hello".utf8))
      try FileManager.default.removeItem(at: directory.file("got"))
    }
  }

  @Test func agentHoldsKeys() async throws {
    let keys = try await SSHServer.clientKeys
    let agent = try await SSHAgent.start(holding: [keys.ed25519])
    let listed = try await Command.run("ssh-add", ["-L"], environment: ["SSH_AUTH_SOCK": agent.socket])
    #expect(listed.text.hasPrefix(keys.ed25519.publicLine))
    await agent.stop()
  }
}
