import Foundation

/// Makes SSH keys with `ssh-keygen`, the reference for every format of theirs.
package enum SSHKeys {
  /// A private key in a file, with its public key beside it.
  package struct Pair: Sendable {
    /// The file of the private key; the public one has the same name and `.pub`.
    package let file: URL
    /// Type and Base64 of the public key, as in `authorized_keys`, without the comment.
    package let publicLine: String

    /// Type of the key, such as `ssh-ed25519`.
    package var type: String { String(publicLine.prefix { $0 != " " }) }

    /// The public key's bytes.
    package var blob: Data {
      Data(base64Encoded: String(publicLine.drop { $0 != " " }.dropFirst())) ?? Data()
    }
  }

  /// Makes a key.
  ///
  /// - Parameters:
  ///   - type: as `ssh-keygen` calls it: ed25519, ecdsa, rsa.
  ///   - bits: of a type that comes in several sizes.
  ///   - arguments: more of them, such as `-m PEM` or `-Z aes256-gcm@openssh.com`.
  package static func make(
    _ type: String, bits: Int? = nil, passphrase: String = "", arguments: [String] = [],
    in directory: TemporaryDirectory,
    name: String
  ) async throws -> Pair {
    let file = directory.file(name)
    var all = ["-q", "-t", type, "-N", passphrase, "-C", "test", "-f", file.path]
    if let bits { all += ["-b", String(bits)] }
    try await Command.check("ssh-keygen", all + arguments)
    return try pair(file)
  }

  /// A key that `make` made.
  package static func pair(_ file: URL) throws -> Pair {
    let line = try String(contentsOf: file.appendingPathExtension("pub"), encoding: .utf8)
    return Pair(file: file, publicLine: line.split(separator: " ").prefix(2).joined(separator: " "))
  }

  /// SHA-256 fingerprint of a public key as OpenSSH prints it.
  package static func fingerprint(_ pair: Pair) async throws -> String {
    let output = try await Command.check("ssh-keygen", ["-l", "-E", "sha256", "-f", pair.file.path + ".pub"])
    return String(decoding: output, as: UTF8.self).split(separator: " ").dropFirst().first.map(String.init) ?? ""
  }
}
