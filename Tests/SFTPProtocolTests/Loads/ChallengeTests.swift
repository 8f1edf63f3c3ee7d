import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@testable import SFTPProtocol

/// Logins and host keys by the challenges of a session, against real servers.
@Suite struct SFTPChallengeTests {
  /// A file of sshd's, and its URL.
  private static let served = LazyServer {
    let server = try await SSHServer.start()
    try Data("contents".utf8).write(to: server.home.appendingPathComponent("f"))
    return server
  }

  private func load(_ home: SSHHome, _ url: URL) async throws -> String {
    String(decoding: try await home.session.data(from: url).0, as: UTF8.self)
  }

  private func code(_ home: SSHHome, _ url: URL) async -> URLError? {
    await #expect(throws: URLError.self) { try await load(home, url) }
  }

  // MARK: Keys

  /// A home whose only key is a copy of a key that sshd knows, with a passphrase.
  private func encrypted(
    _ type: String, _ server: SSHServer, _ delegate: ChallengeDelegate
  ) async throws -> (home: SSHHome, key: String, keep: TemporaryDirectory) {
    let keys = try await SSHServer.clientKeys
    let folder = try TemporaryDirectory("keys")
    let copy = folder.file("key with blank")
    try FileManager.default.copyItem(at: type == "rsa" ? keys.rsa.file : keys.ed25519.file, to: copy)
    try await Command.check("ssh-keygen", ["-q", "-p", "-P", "", "-N", "open sesame", "-f", copy.path])
    let home = try SSHHome(
      knownHosts: server.knownHosts, configuration: "IdentityFile \"\(copy.path)\"\nIdentitiesOnly yes\n",
      delegate: delegate)
    return (home, copy.path, folder)
  }

  @Test(arguments: ["ed25519", "rsa"]) func aPassphraseIsAskedForUntilItIsRight(type: String) async throws {
    let server = try await Self.served.server
    let delegate = ChallengeDelegate { _, count in .password(count == 0 ? "wrong" : "open sesame") }
    let (home, key, keep) = try await encrypted(type, server, delegate)
    #expect(try await load(home, server.url("/~/f")) == "contents")
    #expect(delegate.seen.value.map(\.method) == Array(repeating: SFTPProtocol.passphraseMethod, count: 2))
    #expect(delegate.seen.value.map(\.realm) == [key, key])
    #expect(delegate.seen.value.map(\.failureCount) == [0, 1])
    // Another connection of the session knows it.
    home.session.flush {}
    #expect(try await load(home, server.url("/~/f")) == "contents")
    #expect(delegate.seen.value.count == 2)
    keep.remove()
  }

  @Test func aPassphraseThatNobodyGives() async throws {
    let server = try await Self.served.server
    for (answer, expected, count) in [
      (ChallengeDelegate.Answer.password("wrong"), URLError.Code.userAuthenticationRequired, 3),
      (.leave, .userAuthenticationRequired, 1), (.cancel, .cancelled, 1),
    ] {
      let delegate = ChallengeDelegate { _, _ in answer }
      let (home, key, keep) = try await encrypted("ed25519", server, delegate)
      let error = await code(home, server.url("/~/f"))
      #expect(error?.code == expected)
      #expect(delegate.seen.value.count == count)
      if answer.isPassword { #expect(error?.localizedDescription.contains(key) == true) }
      #expect(error?.localizedDescription.contains("wrong\"") == false)
      keep.remove()
    }
  }

  @Test func aPassphraseThatWasWrongIsNotUsedAgain() async throws {
    let server = try await Self.served.server
    let delegate = ChallengeDelegate { _, count in .password(count < 3 ? "wrong" : "open sesame") }
    let (home, _, keep) = try await encrypted("ed25519", server, delegate)
    #expect(await code(home, server.url("/~/f"))?.code == .userAuthenticationRequired)
    #expect(try await load(home, server.url("/~/f")) == "contents")
    #expect(delegate.seen.value.map(\.failureCount) == [0, 1, 2, 0])
    keep.remove()
  }

  @Test(arguments: ["rsa", "ecdsa", "ed25519"], [true, false])
  func keysOfFilesAndOfTheAgent(type: String, isAgent: Bool) async throws {
    let server = try await Self.served.server
    let keys = try await SSHServer.clientKeys
    let key = type == "rsa" ? keys.rsa : type == "ecdsa" ? keys.ecdsa : keys.ed25519
    let agent = isAgent ? try await SSHAgent.start(holding: [key]) : nil
    let home = try SSHHome(
      knownHosts: server.knownHosts,
      configuration: agent.map { "IdentityAgent \($0.socket)" } ?? "IdentityFile \"\(key.file.path)\"")
    #expect(try await load(home, server.url("/~/f")) == "contents")
    await agent?.stop()
  }

  // MARK: Passwords and questions

  private func known(_ server: PasswordSSHServer) -> String {
    "[127.0.0.1]:\(server.port) \(server.hostKey.publicLine)\n"
  }

  @Test func aPasswordIsAskedForUntilItIsRight() async throws {
    let server = try await PasswordSSHServer.start()
    try Data("contents".utf8).write(to: server.home.appendingPathComponent("f"))
    let delegate = ChallengeDelegate { _, count in .password(count == 0 ? "wrong" : PasswordSSHServer.password) }
    let home = try SSHHome(knownHosts: known(server), delegate: delegate)
    #expect(try await load(home, server.url()) == "contents")
    #expect(
      delegate.seen.value
        == [0, 1].map {
          ChallengeDelegate.Seen(
            method: NSURLAuthenticationMethodDefault, realm: nil, host: "127.0.0.1:\(server.port)", failureCount: $0)
        })
    let cancelling = ChallengeDelegate { _, _ in .cancel }
    let other = try SSHHome(knownHosts: known(server), delegate: cancelling)
    #expect(await code(other, try server.url())?.code == .cancelled)
    #expect(cancelling.seen.value.count == 1)
    await server.stop()
  }

  /// The next load of the session begins with a question, not with the answer that was refused last.
  @Test(arguments: [true, false]) func answersThatWereRefusedAreNotUsedAgain(byQuestions: Bool) async throws {
    var options = PasswordSSHServer.Options()
    if byQuestions { (options.password, options.answers) = (nil, [PasswordSSHServer.password]) }
    let server = try await PasswordSSHServer.start(options: options)
    try Data("contents".utf8).write(to: server.home.appendingPathComponent("f"))
    let delegate = ChallengeDelegate { _, count in .password(count < 3 ? "wrong" : PasswordSSHServer.password) }
    let home = try SSHHome(knownHosts: known(server), delegate: delegate)
    #expect(await code(home, try server.url())?.code == .userAuthenticationRequired)
    #expect(delegate.seen.value.map(\.failureCount) == [0, 1, 2])
    #expect(try await load(home, server.url()) == "contents")
    #expect(delegate.seen.value.map(\.failureCount) == [0, 1, 2, 0])
    await server.stop()
  }

  /// A delegate that tries what is proposed first, as many do, is asked again.
  @Test func whatIsProposedHasNoPassword() async throws {
    let server = try await PasswordSSHServer.start()
    try Data("contents".utf8).write(to: server.home.appendingPathComponent("f"))
    let delegate = ChallengeDelegate { challenge, _ in
      challenge.failureCount == 0 ? .proposed : .password(PasswordSSHServer.password)
    }
    let home = try SSHHome(knownHosts: known(server), delegate: delegate)
    #expect(try await load(home, server.url()) == "contents")
    #expect(delegate.seen.value.map(\.failureCount) == [0, 1])
    let stubborn = ChallengeDelegate { _, _ in .proposed }
    let other = try SSHHome(knownHosts: known(server), delegate: stubborn)
    #expect(await code(other, try server.url())?.code == .userAuthenticationRequired)
    #expect(stubborn.seen.value.map(\.failureCount) == [0, 1])
    await server.stop()
  }

  /// Nobody is asked where the session's storage knows the password; and it keeps what a delegate gave for longer than once.
  @Test func aStoredPasswordIsUsedAndAnAcceptedOneStored() async throws {
    let server = try await PasswordSSHServer.start()
    try Data("contents".utf8).write(to: server.home.appendingPathComponent("f"))
    let space = URLProtectionSpace(
      host: "127.0.0.1", port: Int(server.port), protocol: "sftp", realm: nil,
      authenticationMethod: NSURLAuthenticationMethodDefault)
    let delegate = ChallengeDelegate { _, _ in .keep(PasswordSSHServer.user, PasswordSSHServer.password) }
    let storage = URLCredentialStorage()
    storage.set(URLCredential(user: "another", password: "no", persistence: .forSession), for: space)
    let home = try SSHHome(knownHosts: known(server), delegate: delegate, credentials: storage)
    #expect(try await load(home, server.url()) == "contents")
    #expect(delegate.seen.value.count == 1)
    #expect(storage.defaultCredential(for: space)?.password == PasswordSSHServer.password)
    let silent = ChallengeDelegate { _, _ in .leave }
    let other = try SSHHome(knownHosts: known(server), delegate: silent, credentials: storage)
    #expect(try await load(other, server.url()) == "contents")
    #expect(silent.seen.value.isEmpty)
    await server.stop()
  }

  @Test func questionsAreAskedOneByOne() async throws {
    var options = PasswordSSHServer.Options()
    options.password = nil
    options.answers = ["blue", "grün"]
    let server = try await PasswordSSHServer.start(options: options)
    try Data("contents".utf8).write(to: server.home.appendingPathComponent("f"))
    let delegate = ChallengeDelegate { seen, count in
      .password(seen.realm?.hasPrefix("Question 2") == true ? "grün" : count == 0 ? "red" : "blue")
    }
    let home = try SSHHome(knownHosts: known(server), delegate: delegate)
    #expect(try await load(home, server.url()) == "contents")
    #expect(Set(delegate.seen.value.map(\.method)) == [SFTPProtocol.interactiveMethod])
    #expect(
      delegate.seen.value.compactMap(\.realm).map { $0.prefix(10) } == ["Question 1", "Question 1", "Question 2"])
    await server.stop()
  }

  /// Many servers ask for the password by a question.
  @Test func thePasswordOfAURLAnswersTheOnlyQuestion() async throws {
    var options = PasswordSSHServer.Options()
    options.password = nil
    options.answers = ["blue"]
    let server = try await PasswordSSHServer.start(options: options)
    try Data("contents".utf8).write(to: server.home.appendingPathComponent("f"))
    let home = try SSHHome(knownHosts: known(server))
    #expect(try await load(home, server.url(password: "blue")) == "contents")
    let error = await code(home, try server.url(password: "red-secret"))
    #expect(error?.code == .userAuthenticationRequired)
    #expect(error?.localizedDescription.contains("red-secret") == false)
    await server.stop()
  }

  // MARK: Host keys

  private func home(_ known: String, _ delegate: ChallengeDelegate?) async throws -> SSHHome {
    try await SSHHome.friendly(to: Self.served.server, knownHosts: known, delegate: delegate)
  }

  @Test func anUnknownKeyIsAQuestionOfTrust() async throws {
    let server = try await Self.served.server
    let fingerprint = try await SSHKeys.fingerprint(server.hostKeys[0])
    let accepting = ChallengeDelegate { _, _ in .accept }
    let home = try await home("", accepting)
    #expect(try await load(home, server.url("/~/f")) == "contents")
    #expect(accepting.seen.value.map(\.method) == ["NSURLAuthenticationMethodServerTrust"])
    #expect(accepting.seen.value.map(\.host) == ["127.0.0.1:\(server.port)"])
    let facts = try #require(accepting.hostKeys.value.first)
    #expect(facts.fingerprint == fingerprint && facts.keyType == server.hostKeys[0].type)
    #expect(facts.knownKeys.isEmpty && !facts.isChanged)
    let cancelling = ChallengeDelegate { _, _ in .cancel }
    #expect(await code(try await self.home("", cancelling), server.url("/~/f"))?.code == .cancelled)
  }

  @Test func aChangedKeyIsOneThatSaysSo() async throws {
    let server = try await Self.served.server
    let fingerprint = try await SSHKeys.fingerprint(server.hostKeys[0])
    let old = try await TestKeys.shared.value.ed25519
    let known = "# first\n[127.0.0.1]:\(server.port) \(old.text)\n"
    for (answer, isAccepted) in [(ChallengeDelegate.Answer.accept, true), (.leave, false), (.password("x"), false)] {
      let delegate = ChallengeDelegate { _, _ in answer }
      let home = try await home(known, delegate)
      if isAccepted {
        #expect(try await load(home, server.url("/~/f")) == "contents")
      } else {
        let error = await code(home, server.url("/~/f"))
        #expect(error?.code == .serverCertificateUntrusted)
        let text = error?.localizedDescription ?? ""
        #expect(
          text.contains(fingerprint) && text.contains(old.fingerprint) && text.contains("known_hosts:2"), "\(text)")
      }
      let facts = try #require(delegate.hostKeys.value.first)
      #expect(facts.isChanged && facts.fingerprint == fingerprint)
      #expect(facts.knownKeys.first?.contains(old.fingerprint) == true)
      #expect(home.knownHosts == known)
    }
  }

  @Test func aRevokedKeyIsNoQuestion() async throws {
    let server = try await Self.served.server
    let delegate = ChallengeDelegate { _, _ in .accept }
    let known = server.hostKeys.map { "@revoked * \($0.publicLine)\n" }.joined()
    let home = try await home(known, delegate)
    let error = await code(home, server.url("/~/f"))
    #expect(error?.code == .serverCertificateUntrusted)
    #expect(error?.localizedDescription.contains("revoked") == true)
    #expect(error?.localizedDescription.contains(try await SSHKeys.fingerprint(server.hostKeys[0])) == true)
    #expect(delegate.seen.value.isEmpty)
  }
}

extension ChallengeDelegate.Answer {
  fileprivate var isPassword: Bool {
    if case .password = self { true } else { false }
  }
}
