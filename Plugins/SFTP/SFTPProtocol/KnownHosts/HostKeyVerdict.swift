/// What known_hosts files say of the key that a server showed.
enum HostKeyVerdict: Hashable, Sendable {
  /// A key that a file has for the host.
  struct KnownKey: Hashable, Sendable {
    let type: String
    let fingerprint: String
    let place: SourceLine

    init(_ entry: KnownHostsEntry) {
      type = entry.key.type
      fingerprint = entry.key.fingerprint
      place = entry.place
    }
  }

  /// The host has this key.
  case trusted(SourceLine)
  /// Nothing is known of this key; `others` are keys of other types that the host is known to have.
  case unknown(others: [KnownKey])
  /// The host is known to have other keys of this type: somebody may be in between.
  case changed([KnownKey])
  /// The key was declared void.
  case revoked(SourceLine)
}
