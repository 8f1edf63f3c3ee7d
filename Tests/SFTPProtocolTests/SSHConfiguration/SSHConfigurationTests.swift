import Foundation
import Testing
import URLLoadingTestServers

@testable import SFTPProtocol

/// Configuration out of files that are not there.
@Suite struct SSHConfigurationTests {
  private func read(
    _ files: [String: String], host: String = "a", user: String? = nil, port: Int? = nil
  ) -> HostConfiguration {
    SSHConfiguration.read(
      host: host, user: user, port: port,
      source: ConfigurationSource(
        home: "/home/me", localUser: "me", localUserID: 7, environment: ["KEYS": "/keys", "SOCK": "/agent"],
        read: { path in
          files[path].map { .success(Array($0.utf8)) } ?? .failure(.init("missing", isMissing: true))
        }))
  }

  private func read(_ text: String, host: String = "a", user: String? = nil, port: Int? = nil) -> HostConfiguration {
    read(["/home/me/.ssh/config": text], host: host, user: user, port: port)
  }

  @Test func noFilesSayNothing() {
    #expect(read([:]) == HostConfiguration(hostName: "a"))
  }

  @Test func theUsersFileComesBeforeTheMachines() {
    let configuration = read([
      "/home/me/.ssh/config": "Port 1\nIdentityFile /one", "/etc/ssh/ssh_config": "Port 2\nUser sys\nIdentityFile /two",
    ])
    #expect(configuration.port == 1)
    #expect(configuration.user == "sys")
    #expect(configuration.identityFiles == ["/one", "/two"])
  }

  @Test func whatTheURLSaysWins() {
    let configuration = read("User u\nPort 5\nMatch user me2\n IdentityFile %r-%p", user: "me2", port: 6)
    #expect(configuration.user == "me2")
    #expect(configuration.port == 6)
    #expect(configuration.identityFiles == ["me2-6"])
  }

  @Test func tokensAndHomes() {
    let configuration = read(
      """
      HostName %h.net
      User u
      Port 5
      IdentityFile ~/%h/%n/%p/%r/%u/%i/%%
      IdentityFile %d/x
      IdentityFile ${KEYS}/y
      IdentityAgent $SOCK
      """)
    #expect(configuration.identityFiles == ["/home/me/a.net/a/5/u/me/7/%", "/home/me/x", "/keys/y"])
    #expect(configuration.identityAgent == "/agent")
    #expect(configuration.problems.isEmpty)
  }

  @Test func noneMeansNone() {
    let configuration = read(
      "IdentityFile none\nUserKnownHostsFile none\nProxyJump none\nIdentityAgent none\nProxyCommand none")
    #expect(configuration.identityFiles == [])
    #expect(configuration.userKnownHostsFiles == [])
    #expect(configuration.proxyJump == [])
    #expect(configuration.identityAgent == "")
    #expect(configuration.proxyCommand == nil)
  }

  /// Lines that are left out, and reported with their number.
  @Test(arguments: [
    "Port", "Port x", "Port 0", "Port 65536", "Port 1 2", "Port -1", "Port \"5", "StrictHostKeyChecking maybe",
    "IdentitiesOnly perhaps", "ConnectTimeout soon", "ConnectTimeout 5x", "ConnectTimeout 99999999999999999999999",
    "ServerAliveInterval 9999999w", "ServerAliveCountMax many", "ProxyJump a:b", "ProxyJump a,,b", "ProxyJump @a",
    "ProxyJump [::1", "Host", "Include", "Match", "Match exec true", "Match host", "Match all host a", "Match final",
    "Match localnetwork 10.0.0.0/8", "= x", "\u{0}", "IdentityFile a b", "User \"\"", "Include ~other/x",
  ])
  func badLinesAreLeftOutAndReported(line: String) {
    let configuration = read("User first\n\(line)\n")
    #expect(configuration.problems.map(\.place.description) == ["/home/me/.ssh/config:2"])
    var rest = configuration
    rest.problems = []
    var expected = HostConfiguration(hostName: "a")
    expected.user = "first"
    #expect(rest == expected)
  }

  @Test(arguments: ["IdentityFile ~other/x", "IdentityFile %C", "IdentityFile x%", "IdentityFile ${NO}", "HostName %p"])
  func valuesThatCannotBeMadeAreLeftOutAndReported(line: String) {
    let configuration = read("User first\n\(line)\n")
    #expect(configuration.problems.map(\.place.description) == ["/home/me/.ssh/config:2"])
    #expect(configuration.hostName == "a")
    #expect((configuration.identityFiles ?? []).isEmpty)
  }

  @Test func aBlockThatCannotBeDecidedIsLeftOutWhole() {
    let configuration = read(
      "Match exec \"true\"\n  User no\n  StrictHostKeyChecking no\nMatch host b exec x\n Port 3\nHost *\n  Port 4")
    #expect(configuration.user == nil)
    #expect(configuration.strictHostKeyChecking == nil)
    #expect(configuration.port == 4)
    #expect(configuration.problems.map(\.place.line) == [1])
  }

  @Test func filesThatIncludeThemselvesEnd() {
    let configuration = read("User u\nInclude config\nPort 5")
    #expect(configuration.user == "u")
    #expect(configuration.port == 5)
    #expect(!configuration.problems.isEmpty)
    let many = read("Include config config config")
    #expect(many.problems.contains { $0.reason.contains("256 files") || $0.reason.contains("16 deep") })
  }

  @Test func garbageIsSurvived() {
    var generator = SeededGenerator(seed: 11)
    let words = [
      "Host", "Match", "Include", "Port", "ProxyJump", "IdentityFile", "=", "\"", "'", "\\", "#", "%", "${", "}", "~",
      "!",
      "*", "a", "1", "\n", " ", "\t", "\r\n", ",", "all", "user", "none", "config",
    ]
    for _ in 0..<1000 {
      let text = (0..<60).compactMap { _ in words.randomElement(using: &generator) }.joined()
      _ = read(text)
    }
  }

  @Test func filesThatOthersMayWriteAreNotRead() throws {
    let folder = try TemporaryDirectory("ssh")
    let file = try folder.write("config", "Port 5").path
    chmod(file, 0o622)
    let source = ConfigurationSource.machine
    #expect(source.read(file) == .failure(Problem("others may write to it")))
    chmod(file, 0o600)
    #expect(source.read(file) == .success(Array("Port 5".utf8)))
    #expect(throws: Problem.self) { try LocalFile.read(file, largestCount: 5) }
    let error = #expect(throws: Problem.self) { try LocalFile.read("/dev/zero") }
    #expect(error?.reason == "it is not a regular file")
  }
}
