import Foundation

/// A private key in OpenSSH's format (OpenSSH's PROTOCOL.key), not decrypted.
struct OpenSSHKey {
  /// Known without the passphrase.
  let publicKey: PublicKey
  let cipherName: String
  private let kdfName: String
  private let kdfOptions: [UInt8]
  private let encrypted: [UInt8]
  private let tag: [UInt8]

  static let begin = "-----BEGIN OPENSSH PRIVATE KEY-----"
  static let end = "-----END OPENSSH PRIVATE KEY-----"

  var isEncrypted: Bool { cipherName != "none" }

  /// Nil if it is no such file.
  init?(text: String) {
    let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
    guard let first = lines.firstIndex(of: Self.begin),
      let last = lines[first...].firstIndex(of: Self.end),
      let data = Data(base64Encoded: lines[(first + 1)..<last].joined())
    else { return nil }
    self.init(bytes: Array(data))
  }

  init?(bytes: [UInt8]) {
    var reader = SSHFieldReader(bytes)
    guard let magic = reader.bytes(15), Array(magic) == Array("openssh-key-v1".utf8) + [0],
      let cipherName = reader.text(), let kdfName = reader.text(), let kdfOptions = reader.string(),
      reader.uint32() == 1, let blob = reader.string(), let publicKey = PublicKey(blob: blob),
      let encrypted = reader.string()
    else { return nil }
    self.publicKey = publicKey
    self.cipherName = cipherName
    self.kdfName = kdfName
    self.kdfOptions = Array(kdfOptions)
    self.encrypted = Array(encrypted)
    tag = Array(reader.rest)
  }

  func open(passphrase: String?, isCancelled: () -> Bool) -> KeyOpening {
    guard isEncrypted else {
      return privateKey(in: encrypted).map(KeyOpening.key)
        ?? .unsupported("its contents are damaged or of a type that is not supported")
    }
    guard let cipher = KeyCipher(name: cipherName) else {
      return .unsupported(
        "it is encrypted with \(cipherName), which is not supported: 'ssh-keygen -p -Z aes256-ctr -f' on it changes that"
      )
    }
    guard let passphrase else { return .needsPassphrase }
    var options = SSHFieldReader(kdfOptions)
    guard kdfName == "bcrypt", let salt = options.string(), let rounds = options.uint32() else {
      return .unsupported("its key derivation is not supported: \(kdfName)")
    }
    guard rounds <= BcryptKDF.largestRoundCount else {
      return .unsupported(
        "its key derivation has \(rounds) rounds, of which \(BcryptKDF.largestRoundCount) are supported")
    }
    if passphrase.isEmpty { return .wrongPassphrase }
    guard
      let derived = BcryptKDF.key(
        passphrase: Array(passphrase.utf8), salt: Array(salt), rounds: rounds,
        count: cipher.keyCount + cipher.vectorCount, isCancelled: isCancelled)
    else { return .unsupported("no key could be derived from its passphrase") }
    let plain = cipher.decrypt(
      encrypted, key: Array(derived.prefix(cipher.keyCount)), vector: Array(derived.suffix(cipher.vectorCount)),
      tag: tag)
    guard let plain, hasEqualCheckWords(plain) else { return .wrongPassphrase }
    return privateKey(in: plain).map(KeyOpening.key)
      ?? .unsupported("its contents are damaged or of a type that is not supported")
  }

  /// Whether the two numbers before the key are equal; with a wrong passphrase they are not.
  private func hasEqualCheckWords(_ plain: [UInt8]) -> Bool {
    var reader = SSHFieldReader(plain)
    guard let one = reader.uint32(), let other = reader.uint32() else { return false }
    return one == other
  }

  private func privateKey(in plain: [UInt8]) -> PrivateKey? {
    guard hasEqualCheckWords(plain) else { return nil }
    var reader = SSHFieldReader(plain.dropFirst(8))
    guard let type = reader.text(), type == publicKey.type else { return nil }
    let key: PrivateKey?
    switch type {
    case KeyAlgorithm.ed25519.rawValue:
      guard reader.string() != nil, let pair = reader.string(), pair.count == 64 else { return nil }
      key = .ed25519(seed: Array(pair.prefix(32)))
    case KeyAlgorithm.rsaSHA1.rawValue: key = RSAKeyEncoding.privateKey(&reader)
    default:
      guard let name = reader.text(), let curve = EllipticCurve(rawValue: name), curve.keyType == type,
        let point = reader.string(), let number = reader.string()
      else { return nil }
      let digits = Array(number.drop { $0 == 0 })
      guard digits.count <= curve.fieldCount else { return nil }
      let padded = [UInt8](repeating: 0, count: curve.fieldCount - digits.count) + digits
      key = .der(
        DERWriter.sequence([
          DERWriter.integer([1]), DERWriter.octets(padded), DERWriter.tagged(0, curve.identifier),
          DERWriter.tagged(1, DERWriter.bits(Array(point))),
        ]))
    }
    // The server was asked about this public key.
    return key?.publicKey == publicKey ? key : nil
  }
}
