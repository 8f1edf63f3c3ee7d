import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@testable import SFTPProtocol

/// Loads from OpenSSH's sshd.
@Suite struct SSHLoadTests {
  private func put(_ url: URL) -> URLRequest {
    var request = URLRequest(url: url)
    request.httpMethod = "PUT"
    return request
  }

  @Test func upAndDown() async throws {
    let server = try await SSHServer.start()
    let home = try await SSHHome.friendly(to: server)
    let contents = TestFiles.pattern(count: 10_000_001)
    let url = server.url("/~/größe 1%")
    _ = try await home.session.upload(for: put(url), from: contents)
    let (data, response) = try await home.session.data(from: url)
    #expect(TestFiles.firstDifference(data, contents) == nil)
    #expect(response.acceptsByteRanges)
    var request = URLRequest(url: url)
    request.setValue("bytes=-10", forHTTPHeaderField: "Range")
    #expect(try await home.session.data(for: request).0 == contents.suffix(10))
    request = URLRequest(url: url)
    request.httpMethod = "DELETE"
    _ = try await home.session.data(for: request)
    let error = await #expect(throws: URLError.self) { try await home.session.data(from: url) }
    #expect(error?.code == .fileDoesNotExist)
    #expect(logins(server) == 1)
    await server.stop()
  }

  private static func small(_ number: Int) -> Data { Data(repeating: UInt8(number % 251), count: 4000 + number) }

  /// How often somebody has logged in.
  private func logins(_ server: SSHServer) -> Int { server.log.components(separatedBy: "Accepted publickey").count - 1 }

  @Test func manySmallFilesAtOnce() async throws {
    let server = try await SSHServer.start()
    let home = try await SSHHome.friendly(to: server)
    for number in 0..<1000 {
      try Self.small(number).write(to: server.home.appendingPathComponent("f\(number)"))
    }
    let right = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<1000 {
        group.addTask {
          let data = try? await home.session.data(from: server.url("/~/f\(number)")).0
          return data == Self.small(number)
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(right == 1000)
    #expect(logins(server) == 1)
    await server.stop()
  }

  @Test func aLostConnectionIsReplacedAndTheLoadGoesOn() async throws {
    let server = try await SSHServer.start()
    let home = try await SSHHome.friendly(to: server)
    let count = 24 << 20
    try TestFiles.write(count: count, to: server.home.appendingPathComponent("f"))
    let (bytes, _) = try await home.session.bytes(from: server.url("/~/f"))
    let expected = TestFiles.pattern(count: count)
    var position = 0
    for try await byte in bytes {
      if position == 1 << 20 { server.killConnections() }
      guard byte == expected[position] else { break }
      position += 1
    }
    #expect(position == count)
    await server.stop()
  }

  @Test func aSilentServerIsCancelledAtOnce() async throws {
    let server = try await SSHServer.start()
    let home = try await SSHHome.friendly(to: server)
    try TestFiles.write(count: 10, to: server.home.appendingPathComponent("f"))
    _ = try await home.session.data(from: server.url("/~/f"))
    server.freezeConnections()
    var request = URLRequest(url: server.url("/~/f"))
    request.timeoutInterval = 0.3
    let timedOut = await #expect(throws: URLError.self) { try await home.session.data(for: request) }
    #expect(timedOut?.code == .timedOut)
    let loading = Task { try await home.session.data(from: server.url("/~/f")) }
    #expect(try await eventually { await home.session.allTasks.count == 1 })
    let start = ContinuousClock.now
    loading.cancel()
    await #expect(throws: (any Error).self) { try await loading.value }
    // Long before the request's 60 s.
    #expect(start.duration(to: .now) < .seconds(3))
    server.freezeConnections(false)
    await server.stop()
  }

  @Test func throughAnotherHost() async throws {
    let server = try await SSHServer.start()
    let jump = try await SSHServer.start()
    let home = try await SSHHome.friendly(
      to: server, knownHosts: server.knownHosts + jump.knownHosts,
      configuration:
        "Host 127.0.0.1\n  ProxyJump \(SSHServer.user)@localhost:\(jump.port)\nHost localhost\n  HostName 127.0.0.1")
    let contents = TestFiles.pattern(count: 3_000_000)
    try contents.write(to: server.home.appendingPathComponent("f"))
    let data = try await home.session.data(from: server.url("/~/f")).0
    #expect(TestFiles.firstDifference(data, contents) == nil)
    #expect(logins(jump) == 1)
    await server.stop()
    await jump.stop()
  }

  @Test(arguments: [1e21, .greatestFiniteMagnitude, .infinity])
  func aConnectionTimeoutLongerThanAnyDurationLoads(timeout: TimeInterval) async throws {
    let server = try await SSHServer.start()
    var network = NetworkSettings()
    network.connectionTimeout = timeout
    let home = try await SSHHome.friendly(to: server, network: network)
    try TestFiles.write(count: 10, to: server.home.appendingPathComponent("f"))
    #expect(try await home.session.data(from: server.url("/~/f")).0.count == 10)
    await server.stop()
  }

  @Test func aServerThatIsNotThere() async throws {
    let home = try SSHHome()
    let port = try FreePort.pick()
    let url = try #require(URL(string: "sftp://127.0.0.1:\(port)/f"))
    let error = await #expect(throws: URLError.self) { try await home.session.data(from: url) }
    #expect(error?.code == .cannotConnectToHost)
    #expect(error?.failingURL == url)
    let proxied = try SSHHome(configuration: "ProxyCommand nc %h %p")
    let refused = await #expect(throws: URLError.self) { try await proxied.session.data(from: url) }
    #expect(refused?.localizedDescription.contains("ProxyCommand") == true)
  }

  // MARK: Host keys

  private func failure(_ home: SSHHome, _ server: SSHServer) async -> URLError? {
    await #expect(throws: URLError.self) { try await home.session.data(from: server.url("/~/f")) }
  }

  @Test func aServerThatIsNotKnown() async throws {
    let server = try await SSHServer.start()
    try TestFiles.write(count: 10, to: server.home.appendingPathComponent("f"))
    let fingerprint = try await SSHKeys.fingerprint(server.hostKeys[0])
    let silent = try await SSHHome.friendly(to: server, knownHosts: "")
    let error = await failure(silent, server)
    #expect(error?.code == .serverCertificateUntrusted)
    #expect(error?.localizedDescription.contains(fingerprint) == true)
    // Who gives a password to everybody accepts nobody.
    let careless = try await SSHHome.friendly(to: server, knownHosts: "", delegate: AnyPassword())
    #expect(await failure(careless, server)?.code == .serverCertificateUntrusted)
    let accepting = try await SSHHome.friendly(to: server, knownHosts: "", delegate: KeyAcceptance([fingerprint]))
    #expect(try await accepting.session.data(from: server.url("/~/f")).0.count == 10)
    // For this session, the question is answered.
    server.killConnections()
    #expect(try await accepting.session.data(from: server.url("/~/f")).0.count == 10)
    #expect(accepting.knownHosts.isEmpty)
    let strict = try await SSHHome.friendly(
      to: server, knownHosts: "", configuration: "StrictHostKeyChecking yes", delegate: KeyAcceptance([fingerprint]))
    #expect(await failure(strict, server)?.code == .serverCertificateUntrusted)
    await server.stop()
  }

  @Test func aServerWhoseKeyHasChangedOrIsRevoked() async throws {
    let server = try await SSHServer.start()
    try TestFiles.write(count: 10, to: server.home.appendingPathComponent("f"))
    let other = try await TestKeys.shared.value.ed25519
    let fingerprint = try await SSHKeys.fingerprint(server.hostKeys[0])
    for configuration in ["", "StrictHostKeyChecking no", "StrictHostKeyChecking accept-new"] {
      let home = try await SSHHome.friendly(
        to: server, knownHosts: "\n[127.0.0.1]:\(server.port) \(other.text)\n", configuration: configuration)
      let text = await failure(home, server)?.localizedDescription ?? ""
      #expect(text.contains(fingerprint))
      #expect(text.contains(other.fingerprint))
      #expect(text.contains(".ssh/known_hosts:2"))
    }
    let revoked = try await SSHHome.friendly(
      to: server, knownHosts: server.knownHosts + "@revoked * \(server.hostKeys[0].publicLine)\n",
      configuration: "StrictHostKeyChecking no", delegate: KeyAcceptance([fingerprint]))
    // There is another key of the server's that is not revoked.
    #expect(try await revoked.session.data(from: server.url("/~/f")).0.count == 10)
    let only = try await SSHHome.friendly(
      to: server, knownHosts: "@revoked * \(server.hostKeys[0].publicLine)\n",
      configuration: "StrictHostKeyChecking no",
      delegate: KeyAcceptance([fingerprint]))
    #expect(await failure(only, server)?.localizedDescription.contains("revoked") == true)
    await server.stop()
  }

  @Test(arguments: ["ecdsa", "ed25519"])
  func theKeyThatIsKnownIsAskedFor(type: String) async throws {
    let server = try await SSHServer.start()
    try TestFiles.write(count: 10, to: server.home.appendingPathComponent("f"))
    let key = try #require(server.hostKeys.first { $0.type.contains(type) })
    let home = try await SSHHome.friendly(
      to: server, knownHosts: "[127.0.0.1]:\(server.port) \(key.publicLine)\n")
    #expect(try await home.session.data(from: server.url("/~/f")).0.count == 10)
    await server.stop()
  }

  @Test func newKeysAreWrittenDownWhereTheConfigurationSaysSo() async throws {
    let server = try await SSHServer.start()
    try TestFiles.write(count: 10, to: server.home.appendingPathComponent("f"))
    let home = try await SSHHome.friendly(
      to: server, knownHosts: "# no end of line", configuration: "StrictHostKeyChecking accept-new")
    #expect(try await home.session.data(from: server.url("/~/f")).0.count == 10)
    #expect(home.knownHosts == "# no end of line\n[127.0.0.1]:\(server.port) \(server.hostKeys[0].publicLine)\n")
    await server.stop()
  }

  // MARK: Passwords

  @Test func passwords() async throws {
    let server = try await PasswordSSHServer.start()
    try Data("contents".utf8).write(to: server.home.appendingPathComponent("f"))
    let known = "[127.0.0.1]:\(server.port) \(server.hostKey.publicLine)\n"
    let url = try server.url()
    let withPassword = try server.url(password: PasswordSSHServer.password)
    let withWrongPassword = try server.url(password: "wrong")

    let home = try SSHHome(knownHosts: known)
    #expect(try await home.session.data(from: withPassword).0 == Data("contents".utf8))
    // Not by the connection that the right password opened.
    for wrong in [url, withWrongPassword] {
      let error = await #expect(throws: URLError.self) { try await home.session.data(from: wrong) }
      #expect(error?.code == .userAuthenticationRequired)
      #expect(error?.localizedDescription.contains(PasswordSSHServer.password) == false)
    }
    let asking = try SSHHome(knownHosts: known, delegate: AnyPassword(PasswordSSHServer.password))
    #expect(try await asking.session.data(from: url).0 == Data("contents".utf8))
    _ = try await asking.session.upload(for: put(url), from: Data("new".utf8))
    #expect(try Data(contentsOf: server.home.appendingPathComponent("f")) == Data("new".utf8))
    await server.stop()
  }
}

/// Accepts keys by their fingerprints.
private final class KeyAcceptance: NSObject, URLSessionDelegate {
  private let fingerprints: Set<String>

  init(_ fingerprints: Set<String>) {
    self.fingerprints = fingerprints
  }

  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    guard let space = challenge.protectionSpace as? SFTPHostKeySpace, fingerprints.contains(space.fingerprint) else {
      return completionHandler(.performDefaultHandling, nil)
    }
    completionHandler(.useCredential, space.acceptance)
  }
}

/// Gives a password to every question.
private final class AnyPassword: NSObject, URLSessionTaskDelegate {
  private let password: String

  init(_ password: String = "secret") {
    self.password = password
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    completionHandler(.useCredential, URLCredential(user: "", password: password, persistence: .none))
  }
}
