import URLLoadingCOpenSSL

/// The ciphers by which OpenSSH encrypts key files that OpenSSL can decrypt.
struct KeyCipher {
  let cipher: OpaquePointer?
  let keyCount: Int
  let vectorCount: Int
  /// Bytes of the authentication tag.
  let tagCount: Int

  /// Nil for one that is not supported, such as `chacha20-poly1305@openssh.com`.
  init?(name: String) {
    switch name {
    case "aes128-ctr": self.init(EVP_aes_128_ctr(), key: 16)
    case "aes192-ctr": self.init(EVP_aes_192_ctr(), key: 24)
    case "aes256-ctr": self.init(EVP_aes_256_ctr(), key: 32)
    case "aes128-cbc": self.init(EVP_aes_128_cbc(), key: 16)
    case "aes192-cbc": self.init(EVP_aes_192_cbc(), key: 24)
    case "aes256-cbc", "rijndael-cbc@lysator.liu.se": self.init(EVP_aes_256_cbc(), key: 32)
    case "aes128-gcm@openssh.com": self.init(EVP_aes_128_gcm(), key: 16, vector: 12, tag: 16)
    case "aes256-gcm@openssh.com": self.init(EVP_aes_256_gcm(), key: 32, vector: 12, tag: 16)
    default: return nil
    }
  }

  private init(_ cipher: OpaquePointer?, key: Int, vector: Int = 16, tag: Int = 0) {
    self.cipher = cipher
    keyCount = key
    vectorCount = vector
    tagCount = tag
  }

  /// The decrypted bytes; nil if the tag does not match.
  func decrypt(_ bytes: [UInt8], key: [UInt8], vector: [UInt8], tag: [UInt8]) -> [UInt8]? {
    guard let cipher, key.count == keyCount, vector.count == vectorCount, tag.count == tagCount,
      bytes.count <= 1 << 20, let context = EVP_CIPHER_CTX_new()
    else { return nil }
    defer {
      EVP_CIPHER_CTX_free(context)
      ERR_clear_error()
    }
    guard EVP_DecryptInit_ex(context, cipher, nil, key, vector) == 1, EVP_CIPHER_CTX_set_padding(context, 0) == 1 else {
      return nil
    }
    if tagCount > 0 {
      var tag = tag
      guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagCount), &tag) == 1 else { return nil }
    }
    var plain = [UInt8](repeating: 0, count: bytes.count + 32)
    var count: Int32 = 0
    var lastCount: Int32 = 0
    guard EVP_DecryptUpdate(context, &plain, &count, bytes, Int32(bytes.count)) == 1 else { return nil }
    let isWhole = plain.withUnsafeMutableBufferPointer { buffer in
      EVP_DecryptFinal_ex(context, buffer.baseAddress.map { $0 + Int(count) }, &lastCount) == 1
    }
    return isWhole ? Array(plain.prefix(Int(count) + Int(lastCount))) : nil
  }
}
