/// What an encrypted connection to a host has to fulfil beyond what every connection does.
struct TransportSecurityRequirements: Equatable, Sendable {
  /// How strong certificates are at least. Those of the whole chain, but for the trust anchor's signature, which nobody verifies.
  struct Certificates: Equatable, Sendable {
    /// In bits.
    var minimumRSAKeySize = 2048
    /// In bits, of keys on elliptic curves.
    var minimumECKeySize = 256
    /// In bits, of the digests that are signed: SHA-256 or better.
    var minimumDigestSize = 256
  }

  /// The host, for words about a violation: in lower case, addresses without brackets.
  var host: String
  /// The oldest version of TLS; nil for what the session's configuration says, which holds in any case.
  var minimumTLSVersion: tls_protocol_version_t?
  /// Whether the key exchange has to be an ephemeral one on elliptic curves (ECDHE), as every one of TLS 1.3 is.
  var requiresForwardSecrecy = false
  /// Nil for certificates as every connection accepts them.
  var certificates: Certificates?
  /// Nil for any keys.
  var pins: PublicKeyPins?
  /// Whether a delegate may accept a certificate that is not verified: Apple's system lets it where insecure loads are allowed.
  var allowsOverridingTrust = true

  /// Whether nothing is required.
  var isEmpty: Bool {
    minimumTLSVersion == nil && !requiresForwardSecrecy && certificates == nil && pins == nil && allowsOverridingTrust
  }

  /// A rule of the dictionary that a connection may violate.
  enum Rule: Equatable, Sendable {
    case minimumTLSVersion, forwardSecrecy, keySize, signature, pinnedLeaf, pinnedAuthority
  }

  /// What a load fails with whose connection violates a rule.
  /// - Parameter found: what the server has in place of what is required, as `TLS 1.1`.
  func violation(of rule: Rule, found: String, url: URL?) -> URLError {
    let what =
      switch rule {
      case .minimumTLSVersion: "the connection has \(found), older than NSExceptionMinimumTLSVersion lets it be"
      case .forwardSecrecy:
        "the connection has \(found), no forward secrecy, which NSExceptionRequiresForwardSecrecy asks for"
      case .keySize:
        "a certificate has \(found); at least \(Certificates().minimumRSAKeySize) bits of RSA or \(Certificates().minimumECKeySize) of elliptic curves are required"
      case .signature: "a certificate is signed with \(found); SHA-256 or better is required"
      case .pinnedLeaf: "the server's certificate has the key \(found), which is not in NSPinnedLeafIdentities"
      case .pinnedAuthority: "no authority of the server's certificate is in NSPinnedCAIdentities; it has \(found)"
      }
    return URLError(
      .appTransportSecurityRequiresSecureConnection,
      message:
        "App Transport Security does not allow this connection to \(host): \(what).",
      url: url)
  }
}
