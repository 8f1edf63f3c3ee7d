/// The algorithms that a connection offers: those of the installed libssh2 that OpenSSH's client also takes, in libssh2's order, but for
/// host keys, whose order leads to a known one, and for MACs, of which those of the encrypted packet (EtM) come first, as in OpenSSH.
struct AlgorithmPreferences: Sendable, Equatable {
  var keyExchange: [String] = []
  var hostKey: [String] = []
  var cipher: [String] = []
  var mac: [String] = []
}

extension AlgorithmPreferences {
  /// - Parameters:
  ///   - supported: libssh2's algorithms.
  ///   - knownKeyTypes: types of the host's known keys, the best first.
  init(supported: AlgorithmPreferences, knownKeyTypes: [String]) {
    keyExchange = supported.keyExchange.filter(Self.isSafe)
    cipher = supported.cipher.filter(Self.isSafe)
    let macs = supported.mac.filter(Self.isSafe)
    mac = macs.filter(Self.authenticatesCiphertext) + macs.filter { !Self.authenticatesCiphertext($0) }
    let safe = supported.hostKey.filter(Self.isSafe)
    // An RSA key may sign in three ways.
    let wanted = knownKeyTypes.flatMap { $0 == "ssh-rsa" ? ["rsa-sha2-512", "rsa-sha2-256", "ssh-rsa"] : [$0] }
    let known = wanted.filter(safe.contains)
    let rest = Self.hostKeyOrder.filter { safe.contains($0) && !known.contains($0) }
    hostKey = known + rest + safe.filter { !known.contains($0) && !rest.contains($0) }
  }

  private static let hostKeyOrder = [
    "ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521", "rsa-sha2-512", "rsa-sha2-256",
    "ssh-rsa",
  ]

  private static func authenticatesCiphertext(_ mac: String) -> Bool { mac.hasSuffix("-etm@openssh.com") }

  /// Whether packets of a cipher are authenticated by the cipher itself, so that the MAC that was negotiated beside it is not used.
  static func needsNoMAC(_ cipher: String) -> Bool { cipher.contains("-gcm@") || cipher.contains("-poly1305@") }

  /// Names in the list of key exchanges that are not key exchanges: they say what this side knows (RFC 8308, section 2.1).
  private static func isMarker(_ name: String) -> Bool { name == "ext-info-c" || name.hasPrefix("kex-strict-") }

  private static func isSafe(_ name: String) -> Bool {
    // Broken or too small; and certificates of hosts, which are not supported.
    let unsafe = [
      "arcfour", "3des", "blowfish", "cast128", "none", "-cbc", "md5", "ripemd", "-96", "ssh-dss", "-cert-v01@",
    ]
    if unsafe.contains(where: name.contains) { return false }
    return !(name.hasPrefix("diffie-hellman-") && name.hasSuffix("sha1"))
  }

  /// A sentence for each kind of algorithm that has none in common with a server.
  func gaps(to offer: ServerOffer) -> [String] {
    var gaps: [String] = []
    func check(_ what: String, _ ours: [String], _ theirs: [String], _ advice: String) {
      guard !ours.contains(where: theirs.contains) else { return }
      let has = theirs.isEmpty ? "none" : SSHFailure.printable(theirs.joined(separator: ", "), limit: 400)
      gaps.append(
        "the server has \(what) \(has), of which this side has none (it has \(ours.joined(separator: ", "))): \(advice)"
      )
    }
    check(
      "the key exchanges", keyExchange.filter { !Self.isMarker($0) }, offer.keyExchange,
      "allow curve25519-sha256 or ecdh-sha2-nistp256 with KexAlgorithms in the server's sshd_config")
    check(
      "the host key algorithms", hostKey, offer.hostKey,
      "give the server an Ed25519 or ECDSA host key (ssh-keygen -A), or use libssh2 1.11 or newer for rsa-sha2")
    let cipherAdvice =
      "allow aes256-ctr with Ciphers in the server's sshd_config, or use libssh2 1.11 or newer for AES-GCM"
    check("the ciphers", cipher, offer.cipherOut, cipherAdvice)
    if offer.cipherIn != offer.cipherOut { check("the ciphers", cipher, offer.cipherIn, cipherAdvice) }
    let macAdvice = "allow hmac-sha2-256 with MACs in the server's sshd_config, or use libssh2 1.11 or newer for -etm"
    check("the MACs", mac, offer.macOut, macAdvice)
    if offer.macIn != offer.macOut { check("the MACs", mac, offer.macIn, macAdvice) }
    return gaps
  }
}
