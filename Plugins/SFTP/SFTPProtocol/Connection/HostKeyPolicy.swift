/// Judges the host keys of servers.
protocol HostKeyPolicy: Sendable {
  /// Types of a host's known keys, such as `ssh-ed25519`, the best first, which the server is asked for first. Called on the connection's
  /// thread: must not block.
  func knownKeyTypes(host: String, port: UInt16) -> [String]

  /// Decides on a key. May take any time: a person may be asked.
  func judge(_ offer: HostKeyOffer) async -> HostKeyDecision
}

/// A server's host key.
struct HostKeyOffer: Sendable {
  let host: String
  let port: UInt16
  let key: PublicKey
}

enum HostKeyDecision: Sendable {
  case accept
  case refuse(SSHFailure)
}
