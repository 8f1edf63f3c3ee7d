/// The verdict of known_hosts files on a server's key.
enum HostKeyVerdict: Hashable, Sendable {
  /// The host has this key.
  case trusted(SourceLine)
  /// The key is not known; `others` are the host's known keys of other types.
  case unknown(others: [KnownHostsEntry])
  /// The host has other known keys of this type: a new key, or somebody intercepts the connection.
  case changed([KnownHostsEntry])
  case revoked(SourceLine)
}
