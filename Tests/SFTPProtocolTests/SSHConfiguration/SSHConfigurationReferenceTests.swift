import Foundation
import Testing
import URLLoadingTestServers

@testable import SFTPProtocol

/// What is read from configuration files against what `ssh -G` says of the same files.
@Suite struct SSHConfigurationReferenceTests {
  /// Values as `ssh -G` prints them, for the keywords that are read.
  private func reference(_ file: URL, _ host: String) async throws -> [String: [String]] {
    let output = try await Command.check("ssh", ["-G", "-F", file.path, host])
    var values: [String: [String]] = [:]
    for line in String(decoding: output, as: UTF8.self).split(separator: "\n") {
      let fields = line.split(separator: " ", maxSplits: 1)
      values[String(fields[0]), default: []].append(fields.count > 1 ? String(fields[1]) : "")
    }
    return values
  }

  private func ours(_ file: URL, _ host: String) -> HostConfiguration {
    var configuration = SSHConfiguration(host: host, source: .machine)
    configuration.add(file: file.path, folder: NSHomeDirectory() + "/.ssh")
    return configuration.finish()
  }

  private static let texts: [String] = [
    """
    # first value wins
    Host a b
      HostName %h.example.org
      Port 2200
    Host a
      HostName other
      Port 2201
      User u
    Host *
      User v
      ConnectTimeout 5
    """,
    """
    Port=2022
    User = "some one"
    HostName="quoted"
      Host !b *
    ServerAliveInterval 1m
    ServerAliveCountMax 7
    Host=b
    ServerAliveInterval=none
    """,
    """
    Host *.example.org !bad.example.org
      User star
    Host h?st
      User mark
    Host x.example.org
      Port 9
    """,
    """
    Host a
      HostName real
    Match host real
      User byreal
    Match originalhost a
      Port 44
    Match host a
      ServerAliveInterval 9
    Match !host real
      ConnectTimeout 9
    Match all
      ServerAliveCountMax 11
    """,
    """
    User bob
    Match user bob
      Port 50
    Match user BOB
      Port 51
    Match user alice,bob host a
      ConnectTimeout 3
    Match canonical
      ServerAliveInterval 9
    Match canonical all
      ServerAliveInterval 8
    """,
    """
    IdentityFile /k/one
    Host a
      IdentityFile "/k/two words"
      IdentityFile '/k/three'
      IdentityFile /k/fo\\ ur
      IdentitiesOnly yes
      UserKnownHostsFile /k/1 "/k/2 3" /k/4 # comment
      GlobalKnownHostsFile /k/5
    Host b
      UserKnownHostsFile ~/x %d/y /z/%%/%h/%p
      IdentitiesOnly no
    """,
    """
    Host a
      ProxyJump u@j1:2,j2,[::1]:7,ssh://x@y:8
      StrictHostKeyChecking accept-new
    Host b
      ProxyJump none
      StrictHostKeyChecking no
    Host *
      ProxyJump z
      StrictHostKeyChecking yes
    """,
    """
    Host a
      ProxyCommand nc %h %p
    Host a b
      ProxyJump j
    Host b
      ProxyCommand none
    """,
    "  Host\ta  \r\n\tPort\t77\r\n\r\n#x\r\nHost *\r\n  Port 78 # what\r\n",
    """
    CanonicalizeHostname no
    Ciphers aes128-ctr
    HostKeyAlias alias
    ConnectTimeout 1h2m3
    Host a
      HostKeyAlias other
    """,
  ]

  @Test(arguments: texts.indices)
  func valuesAreOpenSSHs(index: Int) async throws {
    let folder = try TemporaryDirectory("ssh")
    let file = try folder.write("config", Self.texts[index])
    chmod(file.path, 0o600)
    for host in ["a", "b", "x.example.org", "bad.example.org", "host"] {
      let expected = try await reference(file, host)
      let configuration = ours(file, host)
      #expect(configuration.problems.isEmpty)
      #expect([configuration.hostName] == expected["hostname"], "\(host)")
      #expect([String(configuration.port ?? 22)] == expected["port"], "\(host)")
      #expect([configuration.user ?? NSUserName()] == expected["user"], "\(host)")
      if let files = configuration.identityFiles { #expect(files == expected["identityfile"], "\(host)") }
      #expect([configuration.identitiesOnly == true ? "yes" : "no"] == expected["identitiesonly"], "\(host)")
      if let files = configuration.userKnownHostsFiles {
        #expect([files.joined(separator: " ")] == expected["userknownhostsfile"], "\(host)")
      }
      if let files = configuration.globalKnownHostsFiles {
        #expect([files.joined(separator: " ")] == expected["globalknownhostsfile"], "\(host)")
      }
      #expect(configuration.hostKeyAlias.map { [$0] } == expected["hostkeyalias"], "\(host)")
      let checking: [HostConfiguration.StrictHostKeyChecking?: String] = [
        nil: "ask", .ask: "ask", .yes: "true", .no: "false", .acceptNew: "accept-new",
      ]
      #expect(
        checking[configuration.strictHostKeyChecking].map { [$0] } == expected["stricthostkeychecking"], "\(host)")
      let timeout = configuration.connectTimeout.map { $0 == 0 ? "none" : String($0) } ?? "none"
      #expect([timeout] == expected["connecttimeout"], "\(host)")
      #expect(
        [String(configuration.serverAliveInterval ?? 0)]
          == expected["serveraliveinterval"]?.map { $0 == "none" ? "0" : $0 })
      #expect([String(configuration.serverAliveCountMax ?? 3)] == expected["serveralivecountmax"], "\(host)")
      #expect(configuration.proxyCommand.map { [$0] } == expected["proxycommand"], "\(host)")
      let jumps = (configuration.proxyJump ?? []).map { jump in
        let name = jump.host.contains(":") ? "[\(jump.host)]" : jump.host
        return (jump.user.map { "\($0)@" } ?? "") + name + (jump.port.map { ":\($0)" } ?? "")
      }
      let theirs =
        expected["proxyjump"]?.first?.split(separator: ",").map { String($0.replacing("ssh://", with: "")) } ?? []
      #expect(jumps == theirs, "\(host)")
    }
  }

  @Test func includedFiles() async throws {
    let folder = try TemporaryDirectory("ssh")
    let file = try folder.write(
      "config",
      """
      Host a
        Include \(folder.path)/more/*.conf "\(folder.path)/with space"
        ServerAliveCountMax 5
      Host *
        Include \(folder.path)/missing \(folder.path)/all
        Port 60
      """)
    try folder.write("more/1.conf", "User one\nHost a\n  Port 61\nHost zzz\n  ConnectTimeout 1\n")
    try folder.write("more/2.conf", "User two\nMatch host b\n  Port 62\n")
    try folder.write("with space", "HostName spaced\n")
    try folder.write("all", "HostName fallback\nHost b\n  User bee\n")
    for host in ["a", "b", "zzz"] {
      let expected = try await reference(file, host)
      let configuration = ours(file, host)
      #expect(configuration.problems.isEmpty)
      #expect([configuration.hostName] == expected["hostname"], "\(host)")
      #expect([configuration.user ?? NSUserName()] == expected["user"], "\(host)")
      #expect([String(configuration.port ?? 22)] == expected["port"], "\(host)")
      #expect([String(configuration.serverAliveCountMax ?? 3)] == expected["serveralivecountmax"], "\(host)")
      #expect([configuration.connectTimeout.map(String.init) ?? "none"] == expected["connecttimeout"], "\(host)")
    }
  }
}
