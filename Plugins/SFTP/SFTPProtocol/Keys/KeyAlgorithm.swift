/// How a user's key signs (RFC 4253, section 6.6; RFC 8332; RFC 5656; RFC 8709).
enum KeyAlgorithm: String, Sendable, CaseIterable {
  case ed25519 = "ssh-ed25519"
  case ecdsa256 = "ecdsa-sha2-nistp256"
  case ecdsa384 = "ecdsa-sha2-nistp384"
  case ecdsa521 = "ecdsa-sha2-nistp521"
  case rsaSHA512 = "rsa-sha2-512"
  case rsaSHA256 = "rsa-sha2-256"
  case rsaSHA1 = "ssh-rsa"

  var isRSA: Bool { self == .rsaSHA512 || self == .rsaSHA256 || self == .rsaSHA1 }

  /// The algorithms for a type of key; none for a type that is not supported.
  static func all(forKeyType type: String) -> [KeyAlgorithm] {
    if type == rsaSHA1.rawValue { return [.rsaSHA512, .rsaSHA256, .rsaSHA1] }
    return KeyAlgorithm(rawValue: type).map { $0.isRSA ? [] : [$0] } ?? []
  }

  /// The flag in requests to an agent (draft-ietf-sshm-ssh-agent, section 3.6.1).
  var agentFlag: UInt32 {
    switch self {
    case .rsaSHA256: 2
    case .rsaSHA512: 4
    default: 0
    }
  }
}
