import Foundation
import Testing
import URLLoadingTestServers

@testable import SFTPProtocol

/// Keys as `ssh-keygen` and `openssl` write them; `ssh-keygen -Y verify` would want a format around the signature, so OpenSSL
/// checks signatures here and sshd in the login tests.
@Suite struct KeyFileTests {
  private static let kinds: [(String, Int?)] = [
    ("ed25519", nil), ("ecdsa", 256), ("ecdsa", 384), ("ecdsa", 521), ("rsa", 2048),
  ]

  @Test(arguments: kinds, [[], ["-m", "PEM"], ["-m", "PKCS8"]])
  func opensWithoutPassphrase(_ kind: (String, Int?), format: [String]) async throws {
    // ssh-keygen writes Ed25519 in its own format only.
    if kind.0 == "ed25519", !format.isEmpty { return }
    let directory = try TemporaryDirectory("keys")
    let pair = try await SSHKeys.make(kind.0, bits: kind.1, arguments: format, in: directory, name: "key")
    let file = try KeyFile(path: pair.file.path)
    #expect(file.publicKey?.blob == Array(pair.blob))
    guard case .key(let key) = file.open(passphrase: nil) else {
      Issue.record("not opened")
      return
    }
    #expect(key.publicKey.blob == Array(pair.blob))
    #expect(key.publicKey.fingerprint == (try await SSHKeys.fingerprint(pair)))
    for algorithm in KeyAlgorithm.all(forKeyType: pair.type) {
      let signature = Data("text".utf8).withUnsafeBytes { key.sign($0, algorithm) }
      #expect((signature?.count ?? 0) >= 64)
    }
    #expect(Data("text".utf8).withUnsafeBytes { key.sign($0, pair.type == "ssh-rsa" ? .ed25519 : .rsaSHA512) } == nil)
  }

  @Test(
    arguments: [
      ("ed25519", []), ("rsa", []), ("ecdsa", ["-Z", "aes128-gcm@openssh.com"]), ("ed25519", ["-Z", "aes256-cbc"]),
      ("rsa", ["-m", "PEM"]), ("ecdsa", ["-m", "PKCS8"]), ("ed25519", ["-a", "3"]),
    ])
  func opensWithPassphrase(_ type: String, arguments: [String]) async throws {
    let directory = try TemporaryDirectory("keys")
    let bits = type == "rsa" ? 2048 : nil
    let pair = try await SSHKeys.make(
      type, bits: bits, passphrase: "pass phräse", arguments: arguments, in: directory, name: "key")
    let file = try KeyFile(path: pair.file.path)
    #expect(file.publicKey?.blob == Array(pair.blob), "known before the passphrase is")
    guard case .needsPassphrase = file.open(passphrase: nil) else {
      Issue.record("needs none")
      return
    }
    guard case .wrongPassphrase = file.open(passphrase: "something else") else {
      Issue.record("opens with a wrong one")
      return
    }
    guard case .key(let key) = file.open(passphrase: "pass phräse") else {
      Issue.record("not opened")
      return
    }
    #expect(key.publicKey.blob == Array(pair.blob))
  }

  @Test func tellsWhatIsNotSupportedFromAWrongPassphrase() async throws {
    let directory = try TemporaryDirectory("keys")
    let pair = try await SSHKeys.make(
      "ed25519", passphrase: "secret words", arguments: ["-Z", "chacha20-poly1305@openssh.com"], in: directory,
      name: "key")
    guard case .unsupported(let why) = try KeyFile(path: pair.file.path).open(passphrase: "secret words") else {
      Issue.record("opened")
      return
    }
    #expect(why.contains("chacha20-poly1305@openssh.com"))
    #expect(!why.contains("secret"))
  }

  @Test func refusesWhatOthersCanRead() async throws {
    let directory = try TemporaryDirectory("keys")
    let pair = try await SSHKeys.make("ed25519", in: directory, name: "key")
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: pair.file.path)
    #expect(throws: Problem.self) { try KeyFile(path: pair.file.path) }
    do {
      _ = try KeyFile(path: directory.file("none").path)
    } catch { #expect(error.isMissing) }
    #expect(throws: Problem("it is not a regular file")) { try KeyFile(path: "/dev/zero") }
  }

  /// Each byte wrong, each length too short: an answer, never a trap.
  @Test func survivesDamage() async throws {
    let directory = try TemporaryDirectory("keys")
    let pair = try await SSHKeys.make("ecdsa", in: directory, name: "key")
    let text = try String(contentsOf: pair.file, encoding: .utf8)
    let body = text.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
    let bytes = Array(try #require(Data(base64Encoded: body)))
    #expect(OpenSSHKey(bytes: bytes) != nil)
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 0xFF
      _ = OpenSSHKey(bytes: damaged)?.open(passphrase: "x", isCancelled: { true })
      #expect(OpenSSHKey(bytes: Array(bytes.prefix(index))) == nil)
    }
  }

  /// OpenSSL's own key schedule begins with the same digits.
  @Test func digitsAreThoseOfBlowfish() {
    #expect(BlowfishDigits.words.count == BlowfishDigits.wordCount)
    // "The first digits of pi", as the paper lists them.
    #expect(BlowfishDigits.words.prefix(4) == [0x243F_6A88, 0x85A3_08D3, 0x1319_8A2E, 0x0370_7344])
    #expect(BlowfishDigits.words.last == 0x3AC3_72E6)
  }
}
