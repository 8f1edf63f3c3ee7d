import Foundation
import Testing
import URLLoadingTestServers

@testable import SFTPProtocol

/// Each kind of login, against real servers.
@Suite struct LoginTests {
  private func connect(
    _ server: SSHServer, _ identities: SSHIdentities, _ authenticator: TestAuthenticator = TestAuthenticator()
  ) async throws -> TestConnection {
    var options = try await TestConnection.options(server, authenticator: authenticator)
    options.identities = identities
    return TestConnection(options)
  }

  @Test(arguments: 0..<3) func byKeyFile(_ index: Int) async throws {
    let key = try await SSHServer.clientKeys.all[index]
    let test = try await connect(.shared, SSHIdentities(files: [key.file.path]))
    await test.expectOpen()
  }

  @Test(arguments: 0..<3) func byAgent(_ index: Int) async throws {
    let key = try await SSHServer.clientKeys.all[index]
    let agent = try await SSHAgent.start(holding: [key])
    let test = try await connect(.shared, SSHIdentities(agent: agent.socket))
    await test.expectOpen()
    await agent.stop()
  }

  /// Without SHA-512 it is SHA-256's turn.
  @Test func byRSAWithSHA256Only() async throws {
    var serverOptions = SSHServer.Options()
    serverOptions.configuration = ["PubkeyAcceptedAlgorithms rsa-sha2-256"]
    let server = try await SSHServer.start(options: serverOptions)
    let test = try await connect(server, SSHIdentities(files: [try await SSHServer.clientKeys.rsa.file.path]))
    await test.expectOpen()
    await server.stop()
  }

  /// Such a server names no algorithm of RSA; the key that it takes comes after.
  @Test func byEd25519WhereRSAIsNotTaken() async throws {
    var serverOptions = SSHServer.Options()
    serverOptions.configuration = ["PubkeyAcceptedAlgorithms ssh-ed25519"]
    let server = try await SSHServer.start(options: serverOptions)
    let keys = try await SSHServer.clientKeys
    let test = try await connect(server, SSHIdentities(files: [keys.rsa.file.path, keys.ed25519.file.path]))
    await test.expectOpen()
    let alone = try await connect(server, SSHIdentities(files: [keys.rsa.file.path]))
    let failure = await alone.failure()
    #expect(failure?.kind == .loginFailed, "\(String(describing: failure))")
    await server.stop()
  }

  @Test(arguments: ["ed25519", "rsa"]) func byEncryptedKey(_ type: String) async throws {
    let plain = try await type == "rsa" ? SSHServer.clientKeys.rsa : SSHServer.clientKeys.ed25519
    let directory = try TemporaryDirectory("keys")
    let copy = directory.file("key")
    try FileManager.default.copyItem(at: plain.file, to: copy)
    try await Command.check("ssh-keygen", ["-q", "-p", "-P", "", "-N", "open sesame", "-f", copy.path])
    let authenticator = TestAuthenticator(passphrase: { path, attempt in
      #expect(path == copy.path)
      return attempt == 0 ? "wrong" : "open sesame"
    })
    let test = try await connect(.shared, SSHIdentities(files: [copy.path]), authenticator)
    await test.expectOpen()
    #expect(authenticator.asked.value == ["passphrase 0", "passphrase 1"])
  }

  /// The old format hides the public key as well: it has to be opened before the server can be asked.
  @Test func byEncryptedKeyOfWhichNothingIsKnown() async throws {
    let directory = try TemporaryDirectory("keys")
    let copy = directory.file("key")
    try FileManager.default.copyItem(at: try await SSHServer.clientKeys.rsa.file, to: copy)
    try await Command.check("ssh-keygen", ["-q", "-p", "-m", "PEM", "-P", "", "-N", "open sesame", "-f", copy.path])
    let authenticator = TestAuthenticator(passphrase: { _, _ in "open sesame" })
    let test = try await connect(.shared, SSHIdentities(files: [copy.path]), authenticator)
    await test.expectOpen()
    #expect(authenticator.asked.value == ["passphrase 0"])
  }

  /// The server does not know the first key, so nobody is asked for its passphrase.
  @Test func passesOverKeysThatTheServerDoesNotKnow() async throws {
    let directory = try TemporaryDirectory("keys")
    let stranger = try await SSHKeys.make("ed25519", passphrase: "something", in: directory, name: "stranger")
    let unsupported = try await SSHKeys.make(
      "ed25519", passphrase: "something", arguments: ["-Z", "chacha20-poly1305@openssh.com"], in: directory, name: "b")
    let missing = directory.file("missing").path
    let known = try await SSHServer.clientKeys.ecdsa.file.path
    let authenticator = TestAuthenticator()
    let test = try await connect(
      .shared, SSHIdentities(files: [missing, stranger.file.path, unsupported.file.path, known]), authenticator)
    await test.expectOpen()
    #expect(authenticator.asked.value == [])
  }

  @Test func saysWhatWasTried() async throws {
    let directory = try TemporaryDirectory("keys")
    let stranger = try await SSHKeys.make("ed25519", in: directory, name: "stranger")
    let open = try await SSHKeys.make("ecdsa", in: directory, name: "open")
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: open.file.path)
    let test = try await connect(
      .shared, SSHIdentities(agent: directory.file("no-agent").path, files: [stranger.file.path, open.file.path]))
    let failure = await test.failure()
    #expect(failure?.kind == .loginFailed)
    let message = failure?.message ?? ""
    #expect(message.contains("accepts publickey"))
    #expect(message.contains("refused \(stranger.file.path)"))
    #expect(message.contains("\(open.file.path): others may read it"))
    #expect(message.contains("the agent: \(directory.file("no-agent").path) cannot be connected to"))
  }

  @Test func onlyTheFilesKeysOfTheAgent() async throws {
    let keys = try await SSHServer.clientKeys
    let directory = try TemporaryDirectory("keys")
    let stranger = try await SSHKeys.make("ed25519", in: directory, name: "stranger")
    let agent = try await SSHAgent.start(holding: [keys.ed25519, keys.rsa])
    let refused = try await connect(
      .shared, SSHIdentities(agent: agent.socket, files: [stranger.file.path], onlyFiles: true))
    #expect(await refused.failure()?.kind == .loginFailed)
    // The file of the public half is enough to name a key of the agent's; here the private one is there, and not needed.
    let test = try await connect(
      .shared, SSHIdentities(agent: agent.socket, files: [keys.rsa.file.path], onlyFiles: true))
    await test.expectOpen()
    await agent.stop()
  }

  @Test func byTwoKeysWhereBothAreNeeded() async throws {
    var serverOptions = SSHServer.Options()
    serverOptions.configuration = ["AuthenticationMethods publickey,publickey"]
    let server = try await SSHServer.start(options: serverOptions)
    let files = try await SSHServer.clientKeys.all.map(\.file.path)
    let test = try await connect(server, SSHIdentities(files: files))
    await test.expectOpen()
    let alone = try await connect(server, SSHIdentities(files: [files[0]]))
    #expect(await alone.failure()?.kind == .loginFailed)
    await server.stop()
  }

  @Test func saysThatThereWereTooManyKeys() async throws {
    var serverOptions = SSHServer.Options()
    serverOptions.configuration = ["MaxAuthTries 2"]
    let server = try await SSHServer.start(options: serverOptions)
    let directory = try TemporaryDirectory("keys")
    var files: [String] = []
    for index in 0..<4 {
      files.append(try await SSHKeys.make("ed25519", in: directory, name: "key\(index)").file.path)
    }
    let test = try await connect(server, SSHIdentities(files: files))
    let failure = await test.failure()
    #expect(failure?.kind == .loginFailed)
    #expect(failure?.message.contains("Too many authentication failures") == true)
    #expect(failure?.message.contains("IdentitiesOnly") == true)
    await server.stop()
  }

  @Test func anAgentThatSaysNothingDelaysNoCancel() async throws {
    let directory = try TemporaryDirectory("agent")
    let path = directory.file("socket").path
    let listener = try UnixListener(path: path)
    let test = try await connect(.shared, SSHIdentities(agent: path))
    #expect(await listener.waitForConnection())
    await test.expectPromptEnd()
    listener.close()
  }
}
