internal import URLLoadingCOpenSSL

/// bcrypt_pbkdf, OpenSSH's key derivation: PBKDF2 (RFC 8018) with bcrypt in place of HMAC, and the blocks' bytes interleaved.
enum BcryptKDF {
  /// More rounds would take minutes; `ssh-keygen` has 16 or 24.
  static let largestRoundCount: UInt32 = 2000

  /// The key; nil for invalid parameters, or when cancelled.
  /// - Parameter isCancelled: called between rounds.
  static func key(
    passphrase: [UInt8], salt: [UInt8], rounds: UInt32, count: Int, isCancelled: () -> Bool = { false }
  ) -> [UInt8]? {
    guard !passphrase.isEmpty, !salt.isEmpty, salt.count <= 1 << 16, count > 0, count <= 1024,
      (1...largestRoundCount).contains(rounds), BlowfishDigits.words.count == BlowfishDigits.wordCount
    else { return nil }
    let blockCount = (count + 31) / 32
    var key = [UInt8](repeating: 0, count: count)
    let hashedPassphrase = sha512(passphrase)
    for block in 0..<blockCount {
      var counter = SSHFieldWriter()
      counter.uint32(UInt32(block + 1))
      var hash = bcrypt(hashedPassphrase, salt: sha512(salt + counter.bytes))
      var sum = hash
      for _ in 1..<rounds {
        if isCancelled() { return nil }
        hash = bcrypt(hashedPassphrase, salt: sha512(hash))
        for index in sum.indices { sum[index] ^= hash[index] }
      }
      for (index, byte) in sum.enumerated() where index * blockCount + block < count {
        key[index * blockCount + block] = byte
      }
    }
    return key
  }

  private static func sha512(_ bytes: [UInt8]) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: 64)
    SHA512(bytes, bytes.count, &hash)
    return hash
  }

  /// Blowfish with the expensive key schedule of Provos and Mazières ("A Future-Adaptable Password Scheme", 1999) and a cost of 6.
  private static func bcrypt(_ passphrase: [UInt8], salt: [UInt8]) -> [UInt8] {
    let salt = words(salt)
    let passphrase = words(passphrase)
    let none: [UInt32] = []
    // Shared with BF_encrypt.
    let schedule = UnsafeMutablePointer<BF_KEY>.allocate(capacity: 1)
    defer {
      OPENSSL_cleanse(schedule, MemoryLayout<BF_KEY>.size)
      schedule.deallocate()
    }
    // P, then S, as in the digits.
    let state = UnsafeMutableRawPointer(schedule).bindMemory(to: UInt32.self, capacity: BlowfishDigits.wordCount)
    BlowfishDigits.words.withUnsafeBufferPointer { digits in
      if let start = digits.baseAddress { state.update(from: start, count: BlowfishDigits.wordCount) }
    }
    let key = UnsafeRawPointer(schedule).assumingMemoryBound(to: BF_KEY.self)
    expand(state, key, with: passphrase, salt: salt)
    for _ in 0..<64 {
      expand(state, key, with: salt, salt: none)
      expand(state, key, with: passphrase, salt: none)
    }
    var text = words(Array("OxychromaticBlowfishSwatDynamite".utf8))
    text.withUnsafeMutableBufferPointer { text in
      guard let start = text.baseAddress else { return }
      for _ in 0..<64 {
        for pair in 0..<4 { BF_encrypt(start + 2 * pair, key) }
      }
    }
    return text.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
  }

  private static func expand(
    _ state: UnsafeMutablePointer<UInt32>, _ schedule: UnsafePointer<BF_KEY>, with key: [UInt32], salt: [UInt32]
  ) {
    for index in 0..<18 { state[index] ^= key[index % key.count] }
    var block: (UInt32, UInt32) = (0, 0)
    withUnsafeMutablePointer(to: &block) { pair in
      pair.withMemoryRebound(to: UInt32.self, capacity: 2) { block in
        salt.withUnsafeBufferPointer { salt in
          var index = 0
          while index < BlowfishDigits.wordCount {
            if !salt.isEmpty {
              block[0] ^= salt[index % salt.count]
              block[1] ^= salt[(index + 1) % salt.count]
            }
            BF_encrypt(block, schedule)
            state[index] = block[0]
            state[index + 1] = block[1]
            index += 2
          }
        }
      }
    }
  }

  /// Words of four bytes, the highest first.
  static func words(_ bytes: [UInt8]) -> [UInt32] {
    stride(from: 0, to: bytes.count, by: 4).map { index in
      bytes[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
  }
}
