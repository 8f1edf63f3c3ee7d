/// The verdict of known_hosts files on a server's key.
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
  /// The key is not known; `others` are the host's known keys of other types.
  case unknown(others: [KnownKey])
  /// The host has other known keys of this type: perhaps an attack in the middle.
  case changed([KnownKey])
  case revoked(SourceLine)
}
