internal import URLLoadingX509

// Safe to share: nothing changes after init.
/// The public key of a certificate.
public final class SecKey: NSObject, @unchecked Sendable {
  let key: PublicKey

  init(_ key: PublicKey) { self.key = key }

  public override func isEqual(_ object: Any?) -> Bool { (object as? SecKey)?.key == key }

  public override var hash: Int { key.hashValue }

  /// The kind and the size.
  public override var description: String { "<SecKey { \(key.kind), \(key.bits) bits }>" }
}

/// The key alone: of RSA in the form of PKCS #1, of elliptic curves the point (ANSI X9.63).
///
/// `error`: never set.
public func SecKeyCopyExternalRepresentation(
  _ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  key.key.representation as CFData
}

/// The kind of the key (`kSecAttrKeyType`) and its size in bits (`kSecAttrKeySizeInBits`).
public func SecKeyCopyAttributes(_ key: SecKey) -> CFDictionary? {
  let kind: CFString =
    switch key.key.kind {
    case .rsa: kSecAttrKeyTypeRSA
    case .ellipticCurve: kSecAttrKeyTypeECSECPrimeRandom
    case .other(let name): name as CFString
    }
  return [kSecAttrKeyType as String: kind as String, kSecAttrKeySizeInBits as String: key.key.bits] as CFDictionary
}

/// The bytes of a block that the key encrypts or signs at a time, which is the size of an RSA key.
public func SecKeyGetBlockSize(_ key: SecKey) -> Int { (key.key.bits + 7) / 8 }

/// The kind of a key, in its attributes.
public var kSecAttrKeyType: CFString { "type" }
/// The size of a key in bits, in its attributes.
public var kSecAttrKeySizeInBits: CFString { "bsiz" }
/// A key of RSA.
public var kSecAttrKeyTypeRSA: CFString { "42" }
/// A key on an elliptic curve.
public var kSecAttrKeyTypeEC: CFString { "73" }
/// A key on an elliptic curve over a prime field.
public var kSecAttrKeyTypeECSECPrimeRandom: CFString { "73" }
