/// Which public keys the certificates of a domain may have: SHA-256 digests of their Subject Public Key Info (RFC 5280, section 4.1), as
/// DER has it.
struct PublicKeyPins: Equatable, Sendable {
  /// The key of the server's own certificate has to be one of these; empty for any.
  var leaves: Set<Data> = []
  /// The key of an authority's certificate in the chain has to be one of these; empty for any.
  var authorities: Set<Data> = []

  /// Reads what is pinned for a domain.
  init(_ table: TransportSecurityTable) throws(TransportSecurityError) {
    let (leafKey, authorityKey) = ("NSPinnedLeafIdentities", "NSPinnedCAIdentities")
    try table.allow(["NSIncludesSubdomains", leafKey, authorityKey])
    leaves = try Self.digests(leafKey, of: table)
    authorities = try Self.digests(authorityKey, of: table)
    guard leaves.isEmpty, authorities.isEmpty else { return }
    throw TransportSecurityError(
      path: table.path, problem: "it pins nothing", remedy: "\(leafKey) or \(authorityKey)")
  }

  init(leaves: Set<Data> = [], authorities: Set<Data> = []) {
    self.leaves = leaves
    self.authorities = authorities
  }

  private static func digests(
    _ key: String, of table: TransportSecurityTable
  ) throws(TransportSecurityError) -> Set<Data> {
    guard let identities = try table.tables(key) else { return [] }
    let name = "SPKI-SHA256-BASE64"
    let form = "the Base64 text of a SHA-256 digest, which has 32 bytes"
    var digests: Set<Data> = []
    for identity in identities {
      try identity.allow([name])
      guard let text = try identity.string(name) else {
        throw TransportSecurityError(path: identity.path, problem: "it has no \(name)", remedy: form)
      }
      guard let digest = Data(base64Encoded: text), digest.count == 32 else {
        throw TransportSecurityError(
          path: identity.path(of: name), problem: "it is \"\(text.prefix(60))\"", remedy: form)
      }
      digests.insert(digest)
    }
    // An empty array would allow everything, which nobody writes down.
    guard !digests.isEmpty else {
      throw TransportSecurityError(path: table.path(of: key), problem: "it is empty", remedy: "at least one identity")
    }
    return digests
  }
}
