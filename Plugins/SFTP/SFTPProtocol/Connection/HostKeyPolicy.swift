/// Knows hosts' keys and judges those that servers show.
protocol HostKeyPolicy: Sendable {
  /// Types of the keys that are known for a host, such as `ssh-ed25519`, the best first. The server is asked for one of these
  /// before any other, or it would show a key that nobody knows. Called on the connection's thread: it must not wait.
  func knownKeyTypes(host: String, port: UInt16) -> [String]

  /// Says whether the connection may go on. May take its time: a person may be asked.
  func judge(_ offer: HostKeyOffer) async -> HostKeyDecision
}

/// The key by which a server showed who it is.
struct HostKeyOffer: Sendable {
  let host: String
  let port: UInt16
  let key: PublicKey
  /// All algorithms for host keys that the server has. It may have a known key that could not be asked for.
  let serverAlgorithms: [String]
}

/// What comes of judging a host key.
enum HostKeyDecision: Sendable {
  case accept
  /// With what is wrong, and how to go on.
  case refuse(any Error)
}
