internal import URLLoadingCOpenSSL

/// A private key that can sign.
// Safe to share: the key is not changed, and every signature has a context of its own.
final class PrivateKey: @unchecked Sendable {
  let publicKey: PublicKey
  private let key: OpaquePointer

  /// - Parameter key: an EVP_PKEY, which this object frees.
  private init?(owning key: OpaquePointer) {
    guard let blob = Self.publicBlob(of: key), let publicKey = PublicKey(blob: blob) else {
      EVP_PKEY_free(key)
      return nil
    }
    self.key = key
    self.publicKey = publicKey
  }

  deinit {
    EVP_PKEY_free(key)
  }

  /// An Ed25519 key, from its seed of 32 bytes.
  static func ed25519(seed: [UInt8]) -> PrivateKey? {
    guard seed.count == 32 else { return nil }
    return EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count).flatMap(PrivateKey.init(owning:))
  }

  /// A key in the encoding of RFC 8017 (RSA), RFC 5915 (elliptic curves) or RFC 5208 (any).
  static func der(_ bytes: [UInt8]) -> PrivateKey? {
    bytes.withUnsafeBufferPointer { buffer in
      var start = buffer.baseAddress
      defer { ERR_clear_error() }
      return d2i_AutoPrivateKey(nil, &start, buffer.count).flatMap(PrivateKey.init(owning:))
    }
  }

  /// A key in a PEM file, of whatever kind OpenSSL knows.
  static func pem(_ bytes: [UInt8], passphrase: String?) -> KeyOpening {
    final class Asked {
      let passphrase: [UInt8]?
      var isAsked = false

      init(_ passphrase: String?) { self.passphrase = passphrase.map { Array($0.utf8) } }
    }
    let asked = Asked(passphrase)
    let key = bytes.withUnsafeBytes { buffer -> OpaquePointer? in
      guard let input = BIO_new_mem_buf(buffer.baseAddress, Int32(clamping: buffer.count)) else { return nil }
      defer {
        BIO_free(input)
        ERR_clear_error()
      }
      return PEM_read_bio_PrivateKey(
        input, nil,
        { buffer, size, _, context in
          guard let buffer, let context else { return -1 }
          let asked = Unmanaged<Asked>.fromOpaque(context).takeUnretainedValue()
          asked.isAsked = true
          guard let passphrase = asked.passphrase, passphrase.count <= Int(size) else { return -1 }
          for (index, byte) in passphrase.enumerated() { buffer[index] = CChar(bitPattern: byte) }
          return Int32(passphrase.count)
        }, Unmanaged.passUnretained(asked).toOpaque())
    }
    if key == nil, asked.isAsked { return passphrase == nil ? .needsPassphrase : .wrongPassphrase }
    return key.flatMap(PrivateKey.init(owning:)).map(KeyOpening.key)
      ?? .unsupported("it is no private key that OpenSSH or OpenSSL writes, or of a type that is not supported")
  }

  /// The signature in SSH's encoding, without the algorithm's name before it; nil if the key is of another kind.
  func sign(_ data: UnsafeRawBufferPointer, _ algorithm: KeyAlgorithm) -> [UInt8]? {
    guard KeyAlgorithm.all(forKeyType: publicKey.type).contains(algorithm), let context = EVP_MD_CTX_new() else {
      return nil
    }
    defer {
      EVP_MD_CTX_free(context)
      ERR_clear_error()
    }
    guard EVP_DigestSignInit(context, nil, Self.digest(of: algorithm), nil, key) == 1 else { return nil }
    let bytes = data.bindMemory(to: UInt8.self)
    var count = 0
    guard EVP_DigestSign(context, nil, &count, bytes.baseAddress, bytes.count) == 1, count > 0, count <= 1 << 16 else {
      return nil
    }
    var signature = [UInt8](repeating: 0, count: count)
    guard EVP_DigestSign(context, &signature, &count, bytes.baseAddress, bytes.count) == 1 else { return nil }
    signature.removeLast(signature.count - count)
    return algorithm.isRSA || algorithm == .ed25519 ? signature : Self.pairOfNumbers(signature)
  }

  private static func digest(of algorithm: KeyAlgorithm) -> OpaquePointer? {
    switch algorithm {
    case .ed25519: nil
    case .rsaSHA1: EVP_sha1()
    case .ecdsa256, .rsaSHA256: EVP_sha256()
    case .ecdsa384: EVP_sha384()
    case .ecdsa521, .rsaSHA512: EVP_sha512()
    }
  }

  /// The two numbers of an ECDSA signature, from ASN.1 to SSH's encoding (RFC 5656, section 3.1.2).
  private static func pairOfNumbers(_ der: [UInt8]) -> [UInt8]? {
    der.withUnsafeBufferPointer { buffer in
      var start = buffer.baseAddress
      guard let pair = d2i_ECDSA_SIG(nil, &start, buffer.count) else { return nil }
      defer { ECDSA_SIG_free(pair) }
      var writer = SSHFieldWriter()
      writer.number(Self.bytes(of: ECDSA_SIG_get0_r(pair)))
      writer.number(Self.bytes(of: ECDSA_SIG_get0_s(pair)))
      return writer.bytes
    }
  }

  private static func publicBlob(of key: OpaquePointer) -> [UInt8]? {
    var writer = SSHFieldWriter()
    switch EVP_PKEY_get_base_id(key) {
    case EVP_PKEY_ED25519:
      var point = [UInt8](repeating: 0, count: 32)
      var count = point.count
      guard EVP_PKEY_get_raw_public_key(key, &point, &count) == 1, count == 32 else { return nil }
      writer.string(KeyAlgorithm.ed25519.rawValue)
      writer.string(point)
    case EVP_PKEY_RSA:
      guard let modulus = number("n", of: key), let exponent = number("e", of: key) else { return nil }
      writer.string(KeyAlgorithm.rsaSHA1.rawValue)
      writer.number(exponent)
      writer.number(modulus)
    case EVP_PKEY_EC:
      guard let curve = EllipticCurve(bits: Int(EVP_PKEY_get_bits(key))), let point = octets("pub", of: key),
        point.first == 4, point.count == 1 + 2 * curve.fieldCount
      else { return nil }
      writer.string(curve.keyType)
      writer.string(curve.rawValue)
      writer.string(point)
    default: return nil
    }
    return writer.bytes
  }

  private static func number(_ name: String, of key: OpaquePointer) -> [UInt8]? {
    var number: OpaquePointer?
    guard EVP_PKEY_get_bn_param(key, name, &number) == 1 else { return nil }
    defer { BN_free(number) }
    return bytes(of: number)
  }

  private static func octets(_ name: String, of key: OpaquePointer) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 256)
    var count = 0
    guard EVP_PKEY_get_octet_string_param(key, name, &bytes, bytes.count, &count) == 1, count <= bytes.count else {
      return nil
    }
    return Array(bytes.prefix(count))
  }

  private static func bytes(of number: OpaquePointer?) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int((BN_num_bits(number) + 7) / 8))
    BN_bn2bin(number, &bytes)
    return bytes
  }
}
