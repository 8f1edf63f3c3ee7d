internal import URLLoadingCOpenSSL

/// The ciphers by which OpenSSH encrypts key files that OpenSSL can decrypt.
struct KeyCipher {
  private let cipher: OpaquePointer

  var keyCount: Int { Int(EVP_CIPHER_get_key_length(cipher)) }
  var vectorCount: Int { Int(EVP_CIPHER_get_iv_length(cipher)) }
  /// Bytes of the authentication tag.
  var tagCount: Int { EVP_CIPHER_get_mode(cipher) == EVP_CIPH_GCM_MODE ? 16 : 0 }

  /// Nil for one that is not supported, such as `chacha20-poly1305@openssh.com`.
  init?(name: String) {
    let cipher: OpaquePointer? =
      switch name {
      case "aes128-ctr": EVP_aes_128_ctr()
      case "aes192-ctr": EVP_aes_192_ctr()
      case "aes256-ctr": EVP_aes_256_ctr()
      case "aes128-cbc": EVP_aes_128_cbc()
      case "aes192-cbc": EVP_aes_192_cbc()
      case "aes256-cbc", "rijndael-cbc@lysator.liu.se": EVP_aes_256_cbc()
      case "aes128-gcm@openssh.com": EVP_aes_128_gcm()
      case "aes256-gcm@openssh.com": EVP_aes_256_gcm()
      default: nil
      }
    guard let cipher else { return nil }
    self.cipher = cipher
  }

  /// The decrypted bytes; nil if the tag does not match.
  func decrypt(_ bytes: [UInt8], key: [UInt8], vector: [UInt8], tag: [UInt8]) -> [UInt8]? {
    guard key.count == keyCount, vector.count == vectorCount, tag.count == tagCount,
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
