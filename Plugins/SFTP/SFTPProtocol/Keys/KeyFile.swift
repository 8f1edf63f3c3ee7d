import Foundation
import Glibc

/// The file of a private key.
struct KeyFile: Sendable {
  let path: String
  /// The public key, if it is known without a passphrase.
  let publicKey: PublicKey?
  private let contents: [UInt8]

  /// Why a file cannot be used, as the end of a sentence.
  struct Problem: Error, Equatable {
    let text: String
    /// There is no such file; worth no word where nobody asked for it.
    var isMissing = false
  }

  /// More is no key.
  private static let largestCount = 1 << 16

  /// Reads the file, and the one beside it that ends in `.pub`.
  init(path: String) throws(Problem) {
    self.path = path
    contents = try Self.read(path, isSecret: true)
    if let key = OpenSSHKey(text: String(decoding: contents, as: UTF8.self)) {
      publicKey = key.publicKey
    } else if case .key(let key) = PrivateKey.pem(contents, passphrase: nil) {
      publicKey = key.publicKey
    } else {
      // Only a hint that spares a question: what the private key says counts when it is open.
      let line = try? Self.read(path + ".pub", isSecret: false)
      publicKey = line.flatMap { PublicKey(line: String(decoding: $0, as: UTF8.self)) }
    }
  }

  /// Opens the key. May take a second, by intent.
  func open(passphrase: String?, isCancelled: () -> Bool = { false }) -> KeyOpening {
    if let key = OpenSSHKey(text: String(decoding: contents, as: UTF8.self)) {
      return key.open(passphrase: passphrase, isCancelled: isCancelled)
    }
    switch PrivateKey.pem(contents, passphrase: passphrase) {
    case .key(let key): return .key(key)
    case .needsPassphrase: return .needsPassphrase
    case .wrongPassphrase: return .wrongPassphrase
    case .notUnderstood:
      return .unsupported("it is no private key that OpenSSH or OpenSSL writes, or of a type that is not supported")
    }
  }

  private static func read(_ path: String, isSecret: Bool) throws(Problem) -> [UInt8] {
    // A pipe must not make this wait.
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw Problem(text: "it cannot be opened: \(String(cString: strerror(errno)))", isMissing: errno == ENOENT)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Problem(text: "it is not a file")
    }
    // As OpenSSH does: a key that others can read is not one to rely on.
    if isSecret, status.st_uid == geteuid(), status.st_mode & 0o077 != 0 {
      throw Problem(text: "others may read it: 'chmod 600' on it makes it usable")
    }
    guard status.st_size <= largestCount else { throw Problem(text: "it is too large for a key") }
    var bytes = [UInt8](repeating: 0, count: largestCount)
    var count = 0
    while count < bytes.count {
      let got = bytes.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress.map { $0 + count }, $0.count - count)
      }
      if got < 0, errno == EINTR { continue }
      if got < 0 { throw Problem(text: "it cannot be read: \(String(cString: strerror(errno)))") }
      if got == 0 { break }
      count += got
    }
    return Array(bytes.prefix(count))
  }
}
