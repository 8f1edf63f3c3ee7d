import Foundation
import Testing
import URLLoadingTestServers

@testable import SFTPProtocol

@Suite struct KnownHostsTests {
  private let keys: TestKeys

  init() async throws {
    keys = try await TestKeys.shared.value
  }

  private func known(_ lines: String..., file: String = "known_hosts") -> KnownHosts {
    var known = KnownHosts()
    known.add(lines.joined(separator: "\n").utf8, file: file)
    return known
  }

  private func place(_ line: Int, _ file: String = "known_hosts") -> SourceLine { SourceLine(file: file, line: line) }

  @Test func fingerprintsAreOpenSSHs() {
    for key in [keys.ed25519, keys.ecdsa, keys.rsa] { #expect(key.key.fingerprint == key.fingerprint) }
    #expect(keys.ecdsa.key.type == "ecdsa-sha2-nistp256")
  }

  @Test func aKnownKeyIsTrustedAndAnotherIsNot() {
    let known = known("# a comment", "", "  example.org,192.0.2.1 \(keys.ed25519.text) comment with words")
    #expect(known.problems.isEmpty)
    #expect(known.verdict(on: keys.ed25519.key, ofHost: "example.org", port: 22) == .trusted(place(3)))
    #expect(known.verdict(on: keys.ed25519.key, ofHost: "EXAMPLE.org", port: 22) == .trusted(place(3)))
    #expect(known.verdict(on: keys.ed25519.key, ofHost: "192.0.2.1", port: 22) == .trusted(place(3)))
    #expect(known.verdict(on: keys.ed25519.key, ofHost: "example.com", port: 22) == .unknown(others: []))
    guard case .changed(let old) = known.verdict(on: keys.otherEd25519.key, ofHost: "example.org", port: 22) else {
      Issue.record("not changed")
      return
    }
    #expect(old.map(\.key.fingerprint) == [keys.ed25519.key.fingerprint])
    #expect(old.map(\.place.description) == ["known_hosts:3"])
    guard case .unknown(let others) = known.verdict(on: keys.rsa.key, ofHost: "example.org", port: 22) else {
      Issue.record("not unknown")
      return
    }
    #expect(others.map(\.key.type) == ["ssh-ed25519"])
  }

  @Test func severalKeysOfAHostInSeveralFiles() {
    var known = known("h \(keys.rsa.text)", "h \(keys.ed25519.text)", file: "one")
    known.add("h \(keys.otherEd25519.text)\nh \(keys.rsa.text)".utf8, file: "two")
    #expect(known.keyTypes(ofHost: "h", port: 22) == ["ssh-rsa", "ssh-ed25519"])
    #expect(known.verdict(on: keys.ed25519.key, ofHost: "h", port: 22) == .trusted(place(2, "one")))
    #expect(known.verdict(on: keys.otherEd25519.key, ofHost: "h", port: 22) == .trusted(place(1, "two")))
    #expect(known.verdict(on: keys.ecdsa.key, ofHost: "h", port: 22) != .trusted(place(1, "one")))
  }

  @Test func portsOfTheirOwn() {
    let known = known("[h]:2222 \(keys.ed25519.text)", "h \(keys.rsa.text)", "[::1]:2222,::1 \(keys.ecdsa.text)")
    #expect(known.verdict(on: keys.ed25519.key, ofHost: "h", port: 2222) == .trusted(place(1)))
    #expect(known.verdict(on: keys.ed25519.key, ofHost: "h", port: 2223) == .unknown(others: []))
    #expect(known.keyTypes(ofHost: "h", port: 2222) == ["ssh-ed25519"])
    // A key that the host has at SSH's own port.
    #expect(known.verdict(on: keys.rsa.key, ofHost: "h", port: 2223) == .trusted(place(2)))
    #expect(known.keyTypes(ofHost: "h", port: 2223) == ["ssh-rsa"])
    if case .unknown(let others) = known.verdict(on: keys.rsa.key, ofHost: "h", port: 2222) {
      #expect(others.count == 1)
    } else {
      Issue.record("another host at this port is taken for the one at SSH's")
    }
    #expect(known.verdict(on: keys.ecdsa.key, ofHost: "[::1]", port: 2222) == .trusted(place(3)))
    #expect(known.verdict(on: keys.ecdsa.key, ofHost: "::1", port: 22) == .trusted(place(3)))
  }

  @Test func patternsAndTheirExceptions() {
    let known = known("*.example.org,!bad.example.org,h?st \(keys.ed25519.text)", "!x \(keys.rsa.text)")
    #expect(known.verdict(on: keys.ed25519.key, ofHost: "a.example.org", port: 22) == .trusted(place(1)))
    #expect(known.verdict(on: keys.ed25519.key, ofHost: "a.b.Example.org", port: 22) == .trusted(place(1)))
    #expect(known.verdict(on: keys.ed25519.key, ofHost: "host", port: 22) == .trusted(place(1)))
    #expect(known.verdict(on: keys.ed25519.key, ofHost: "hst", port: 22) == .unknown(others: []))
    #expect(known.verdict(on: keys.ed25519.key, ofHost: "bad.example.org", port: 22) == .unknown(others: []))
    #expect(known.verdict(on: keys.ed25519.key, ofHost: "example.org", port: 22) == .unknown(others: []))
    #expect(known.verdict(on: keys.rsa.key, ofHost: "y", port: 22) == .unknown(others: []))
  }

  @Test func revokedKeysAreNeverTrusted() {
    let known = known(
      "h \(keys.ed25519.text)", "h \(keys.rsa.text)", "@revoked * \(keys.ed25519.text)",
      "@revoked\tother  \(keys.rsa.text)")
    #expect(known.verdict(on: keys.ed25519.key, ofHost: "h", port: 22) == .revoked(place(3)))
    #expect(known.verdict(on: keys.ed25519.key, ofHost: "new", port: 2222) == .revoked(place(3)))
    #expect(known.verdict(on: keys.rsa.key, ofHost: "h", port: 22) == .trusted(place(2)))
    #expect(known.verdict(on: keys.rsa.key, ofHost: "other", port: 2222) == .revoked(place(4)))
    #expect(known.keyTypes(ofHost: "h", port: 22) == ["ssh-rsa"])
    // Where the only key of a type is void, another one is new, not changed.
    if case .unknown = known.verdict(on: keys.otherEd25519.key, ofHost: "h", port: 22) {
    } else {
      Issue.record("a revoked key counts as known")
    }
  }

  @Test func certificateAuthoritiesAreNoHostKeys() {
    let known = known("@cert-authority *.example.org \(keys.ed25519.text)")
    #expect(known.verdict(on: keys.ed25519.key, ofHost: "a.example.org", port: 22) == .unknown(others: []))
    #expect(known.verdict(on: keys.ed25519.key, ofHost: "@cert-authority", port: 22) == .unknown(others: []))
    #expect(known.keyTypes(ofHost: "a.example.org", port: 22) == [])
    #expect(known.certificateAuthorities(ofHost: "a.example.org", port: 22) == [place(1)])
  }

  @Test func linesWithWindowsEnds() {
    let known = known("h \(keys.ed25519.text)\r", "\r", "# x\r", "i \(keys.rsa.text) comment\r")
    #expect(known.problems.isEmpty)
    #expect(known.verdict(on: keys.ed25519.key, ofHost: "h", port: 22) == .trusted(place(1)))
    #expect(known.verdict(on: keys.rsa.key, ofHost: "i", port: 22) == .trusted(place(4)))
  }

  @Test func badLinesAreLeftOutAndReported() {
    let bad = [
      "h", "h ssh-rsa", "h ssh-rsa %%%%", "h ssh-ed25519 AAAA",
      "h ssh-rsa \(keys.ed25519.text.split(separator: " ")[1])",
      "@what h \(keys.ed25519.text)", "@revoked h ssh-rsa", "h 1024 37 123456", "|2|AAAA|AAAA \(keys.rsa.text)",
      "|1|AAAA \(keys.rsa.text)", "|1||AAAA \(keys.rsa.text)", "h\u{0} \(keys.rsa.text)",
      String(repeating: "x", count: 70_000),
    ]
    for line in bad {
      let known = known("a \(keys.rsa.text)", line, "b \(keys.rsa.text)")
      #expect(known.problems.map(\.place) == [place(2)], "\(line.prefix(100))")
      #expect(known.entries.count == 2)
      #expect(known.problems.first?.description.hasPrefix("known_hosts:2: it") == true)
    }
  }

  @Test func garbageIsSurvived() {
    var generator = SeededGenerator(seed: 9)
    let alphabet = Array("h|1= \t\r\n@#,!*?[]:2+/AAAAC3NzaC1lZDI1NTE5\u{0}ssh-ed25519".utf8) + [0xFF]
    for _ in 0..<2000 {
      var known = KnownHosts()
      known.add((0..<200).compactMap { _ in alphabet.randomElement(using: &generator) }, file: "x")
      _ = known.verdict(on: keys.rsa.key, ofHost: "h", port: 2222)
    }
  }

  // MARK: ssh-keygen as the reference

  @Test func namesThatSSHKeygenHashedAreFound() async throws {
    let folder = try TemporaryDirectory("known")
    let file = try folder.write(
      "known_hosts",
      "example.org,192.0.2.1 \(keys.ed25519.text)\n[example.org]:2222 \(keys.rsa.text)\n@revoked z \(keys.ecdsa.text)\n"
    )
    try await Command.check("ssh-keygen", ["-H", "-f", file.path])
    var known = KnownHosts()
    let text = try Data(contentsOf: file)
    known.add(text, file: file.path)
    #expect(String(decoding: text, as: UTF8.self).contains("|1|"))
    #expect(known.problems.isEmpty)
    for (host, port, key) in [
      ("example.org", 22, keys.ed25519), ("192.0.2.1", 22, keys.ed25519), ("Example.ORG", 2222, keys.rsa),
    ] {
      let name = port == 22 ? host : "[\(host)]:\(port)"
      let found = try await Command.check("ssh-keygen", ["-F", name.lowercased(), "-f", file.path])
      #expect(String(decoding: found, as: UTF8.self).contains(key.text))
      guard case .trusted = known.verdict(on: key.key, ofHost: host, port: port) else {
        Issue.record("\(name) is not found")
        continue
      }
    }
    #expect(known.verdict(on: keys.rsa.key, ofHost: "example.net", port: 22) == .unknown(others: []))
  }

  @Test func whatSSHKeygenRemovedIsUnknown() async throws {
    let folder = try TemporaryDirectory("known")
    let file = try folder.write("known_hosts", "a \(keys.ed25519.text)\nb \(keys.ed25519.text)\n")
    try await Command.check("ssh-keygen", ["-H", "-f", file.path])
    try await Command.check("ssh-keygen", ["-R", "a", "-f", file.path])
    var known = KnownHosts()
    known.add(try Data(contentsOf: file), file: file.path)
    #expect(known.verdict(on: keys.ed25519.key, ofHost: "a", port: 22) == .unknown(others: []))
    #expect(known.keyTypes(ofHost: "b", port: 22) == ["ssh-ed25519"])
  }

  @Test func patternsMatchAsSSHKeygenSays() async throws {
    let folder = try TemporaryDirectory("known")
    let patterns = [
      "*", "a*", "*a", "a*b*c", "a?c", "!a,*", "*,!a*", "[a]:2222", "[*]:2222", "[a*]:22?2", "A", "a,,b", "?",
    ]
    let hosts = [("a", 22), ("abc", 22), ("b", 22), ("a", 2222), ("axxbxxc", 2222)]
    for pattern in patterns {
      let file = try folder.write("known_hosts", "\(pattern) \(keys.ed25519.text)\n")
      var known = KnownHosts()
      known.add(try Data(contentsOf: file), file: "k")
      for (host, port) in hosts {
        let name = port == 22 ? host : "[\(host)]:\(port)"
        let outcome = try await Command.run("ssh-keygen", ["-F", name.lowercased(), "-f", file.path])
        let expected = outcome.status == .exited(0)
        #expect(
          (known.entries.first?.matches(KnownHosts.name(of: host, port: port)) == true) == expected,
          "\(pattern) \(name)")
      }
    }
  }
}
