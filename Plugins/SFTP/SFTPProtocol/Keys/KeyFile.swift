import Glibc

/// The file of a private key.
struct KeyFile: Sendable {
  let path: String
  /// The public key, if it is known without a passphrase.
  let publicKey: PublicKey?
  private let contents: [UInt8]

  /// No key is larger.
  private static let largestCount = 1 << 16

  /// Reads the file, and the `.pub` file beside it where that is needed.
  init(path: String) throws(Problem) {
    self.path = path
    contents = try LocalFile.read(path, largestCount: Self.largestCount) { status in
      // As OpenSSH does.
      let isShared = status.st_uid == geteuid() && status.st_mode & 0o077 != 0
      return isShared ? "others may read it: 'chmod 600' on it makes it usable" : nil
    }
    if let key = OpenSSHKey(text: String(decoding: contents, as: UTF8.self)) {
      publicKey = key.publicKey
    } else if case .key(let key) = PrivateKey.pem(contents, passphrase: nil) {
      publicKey = key.publicKey
    } else {
      // A hint that may save asking for a passphrase; the private key decides when it is open.
      let line = try? LocalFile.read(path + ".pub", largestCount: Self.largestCount)
      publicKey = line.flatMap { PublicKey(line: String(decoding: $0, as: UTF8.self)) }
    }
  }

  /// Opens the key, which may take a second: bcrypt is slow by design.
  func open(passphrase: String?, isCancelled: () -> Bool = { false }) -> KeyOpening {
    if let key = OpenSSHKey(text: String(decoding: contents, as: UTF8.self)) {
      return key.open(passphrase: passphrase, isCancelled: isCancelled)
    }
    return PrivateKey.pem(contents, passphrase: passphrase)
  }
}
