import Foundation
import Testing
import URLLoadingTestServers

@testable import SFTPProtocol

/// Host keys that `ssh-keygen` made.
struct TestKeys: Sendable {
  /// One public key: as it stands in files, and as it is sent.
  struct Key: Sendable {
    /// Type and base64, without a comment.
    let text: String
    let key: PublicKey
    /// What `ssh-keygen -l` prints.
    let fingerprint: String
  }

  let ed25519: Key
  let otherEd25519: Key
  let ecdsa: Key
  let rsa: Key

  static let shared = Task {
    let folder = try TemporaryDirectory("keys")
    return TestKeys(
      ed25519: try await make("ed25519", folder, "one"), otherEd25519: try await make("ed25519", folder, "two"),
      ecdsa: try await make("ecdsa", folder, "three"), rsa: try await make("rsa", folder, "four"))
  }

  private static func make(_ type: String, _ folder: TemporaryDirectory, _ name: String) async throws -> Key {
    let file = folder.file(name).path
    try await Command.check("ssh-keygen", ["-q", "-t", type, "-N", "", "-C", "", "-f", file])
    let fields = try String(contentsOfFile: file + ".pub", encoding: .utf8).split(separator: " ")
    let line = String(decoding: try await Command.check("ssh-keygen", ["-l", "-f", file + ".pub"]), as: UTF8.self)
    let base64 = fields[1].trimmingCharacters(in: .whitespacesAndNewlines)
    let blob = try #require(Data(base64Encoded: base64))
    return Key(
      text: "\(fields[0]) \(base64)", key: try #require(PublicKey(blob: Array(blob))),
      fingerprint: String(line.split(separator: " ")[1]))
  }
}
