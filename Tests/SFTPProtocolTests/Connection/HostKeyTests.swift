import Foundation
import Testing
import URLLoadingTestServers

@testable import SFTPProtocol

/// Host keys and algorithms, against sshd.
@Suite struct HostKeyTests {
  @Test func showsTheKeyThatIsKnown() async throws {
    let server = try await SSHServer.shared
    for key in server.hostKeys.prefix(2) {
      let policy = TestHostKeyPolicy(knownTypes: [key.type])
      let test = TestConnection(try await TestConnection.options(server, policy: policy))
      await test.expectOpen()
      let offer = try #require(policy.seen.value.first)
      #expect(policy.seen.value.count == 1)
      #expect(offer.key.blob == Array(key.blob))
      #expect(offer.key.fingerprint == (try await SSHKeys.fingerprint(key)))
      #expect(offer.host == "127.0.0.1" && offer.port == server.port)
    }
  }

  @Test func nothingIsSentToAServerWhoseKeyIsRefused() async throws {
    let server = try await PasswordSSHServer.start()
    let authenticator = TestAuthenticator(password: { _ in PasswordSSHServer.password })
    var options = TestConnection.options(server, authenticator: authenticator)
    options.hostKeyPolicy = TestHostKeyPolicy(judging: { _ in .refuse(SSHFailure(.hostKeyRefused, "who is that")) })
    let test = TestConnection(options)
    let failure = await test.failure()
    #expect(failure?.kind == .hostKeyRefused)
    #expect(failure?.message == "who is that")
    #expect(authenticator.asked.value == [])
    #expect(!server.log.contains("begin"), "not even the user's name")
    await server.stop()
  }

  @Test func judgingMayTakeItsTime() async throws {
    let asked = AsyncEvent()
    let judged = AsyncEvent()
    let policy = TestHostKeyPolicy(judging: { _ in
      asked.signal()
      _ = await judged.wait()
      return .accept
    })
    let test = TestConnection(try await TestConnection.options(.shared, policy: policy))
    #expect(await asked.wait())
    #expect(await test.deadlineStandsStill)
    judged.signal()
    await test.expectOpen()
  }

  @Test func cancelsWhileTheKeyIsJudged() async throws {
    let asked = AsyncEvent()
    let policy = TestHostKeyPolicy(judging: { _ in
      asked.signal()
      _ = await AsyncEvent().wait()
      return .accept
    })
    let test = TestConnection(try await TestConnection.options(.shared, policy: policy))
    #expect(await asked.wait())
    await test.expectPromptEnd()
  }

  @Test func noticesAServerThatGoesWhileTheKeyIsJudged() async throws {
    let server = try await SSHServer.start()
    let asked = AsyncEvent()
    let policy = TestHostKeyPolicy(judging: { _ in
      asked.signal()
      _ = await AsyncEvent().wait()
      return .accept
    })
    let test = TestConnection(try await TestConnection.options(server, policy: policy))
    #expect(await asked.wait())
    server.killConnections()
    #expect(await test.failure()?.kind == .connectionLost)
    await server.stop()
  }

  @Test(
    arguments: [
      (["rsa"], [], "rsa-sha2-512", "give the server an Ed25519 or ECDSA host key"),
      (["ed25519"], ["Ciphers aes256-gcm@openssh.com"], "the ciphers aes256-gcm@openssh.com", "Ciphers in the server"),
      (
        ["ed25519"], ["Ciphers aes256-ctr", "MACs hmac-sha2-256-etm@openssh.com"],
        "the MACs hmac-sha2-256-etm@openssh.com", "MACs in the server"
      ),
      (
        ["ed25519"], ["KexAlgorithms sntrup761x25519-sha512@openssh.com"], "the key exchanges sntrup761",
        "KexAlgorithms"
      ),
    ])
  func saysWhatIsNotInCommon(_ types: [String], _ lines: [String], _ lacking: String, _ advice: String) async throws {
    var serverOptions = SSHServer.Options()
    serverOptions.hostKeyTypes = types
    serverOptions.configuration = lines
    let server = try await SSHServer.start(options: serverOptions)
    let test = TestConnection(try await TestConnection.options(server))
    // A newer libssh2 has what is lacking here.
    if await test.user.opens() { return await server.stop() }
    let failure = await test.failure()
    #expect(failure?.kind == .nothingInCommon)
    #expect(failure?.message.contains(lacking) == true, "\(failure?.message ?? "")")
    #expect(failure?.message.contains(advice) == true)
    await server.stop()
  }

  @Test func measures() async throws {
    let test = TestConnection(try await TestConnection.options(.shared))
    await test.expectOpen()
    let metrics = test.connection.metrics
    let times = [metrics.start, metrics.connected, metrics.keysExchanged, metrics.loggedIn, metrics.opened]
    let known = times.compactMap { $0 }
    #expect(known.count == times.count)
    #expect(known == known.sorted())
    let cipher = metrics.cipherIn ?? ""
    #expect(cipher.hasPrefix("aes") || cipher.hasPrefix("chacha20"))
    // A newer libssh2 has ciphers that need no MAC.
    let needsMAC = cipher.hasSuffix("-ctr")
    #expect(needsMAC ? metrics.macIn?.hasPrefix("hmac-sha2") == true : metrics.macIn == nil)
    #expect(metrics.keyExchange != nil)
    #expect(metrics.address == "127.0.0.1")
    test.connection.close()
    #expect(await test.user.closes())
    #expect(test.user.state.value.error == nil)
  }
}
