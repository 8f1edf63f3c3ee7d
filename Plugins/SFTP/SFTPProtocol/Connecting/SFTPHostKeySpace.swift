import URLLoading

// Safe to share: nothing changes after init.
/// The question whether a server is the one that it should be: the protection space of the challenge that a session's delegate gets
/// when a server shows a key that no known_hosts file has.
///
/// Its method is ``method``. To accept the key, answer with ``acceptance``; any other answer refuses it, so that a delegate that gives a
/// password to every challenge accepts no key by accident.
///
/// ```swift
/// if let space = challenge.protectionSpace as? SFTPHostKeySpace, space.fingerprint == expected {
///   completionHandler(.useCredential, space.acceptance)
/// }
/// ```
public final class SFTPHostKeySpace: URLProtectionSpace, @unchecked Sendable {
  /// The authentication method of such a space: that of a server's trust.
  public static let method = "NSURLAuthenticationMethodServerTrust"

  /// The type of the key, such as `ssh-ed25519`.
  public let keyType: String

  /// The fingerprint of the key as OpenSSH prints it: `SHA256:` and base64.
  public let fingerprint: String

  /// The keys that known_hosts files have for the server, each with its type, fingerprint, file and line.
  public let knownKeys: [String]

  /// Whether the server is known by another key of this type: either it has a new one, or somebody is in between.
  public let isChanged: Bool

  /// What to answer the challenge with to accept the key, for this session.
  public let acceptance: URLCredential

  init(host: String, port: Int, key: PublicKey, knownKeys: [String], isChanged: Bool) {
    keyType = key.type
    fingerprint = key.fingerprint
    self.knownKeys = knownKeys
    self.isChanged = isChanged
    acceptance = SFTPHostKeyAcceptance(key)
    super.init(host: host, port: port, protocol: "sftp", realm: nil, authenticationMethod: Self.method)
  }

  /// Not supported: the question is of use only while the connection waits.
  public required init?(coder: NSCoder) { nil }

  static func serverName(_ host: String, _ port: Int) -> String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == 22 ? name : "\(name):\(port)"
  }
}

/// Says that a host key is right.
// Safe to share: nothing changes after init.
final class SFTPHostKeyAcceptance: URLCredential, @unchecked Sendable {
  private let key: PublicKey?

  init(_ key: PublicKey) {
    self.key = key
    // The plugin remembers by itself whose key was accepted; a storage would offer it for another key of the same server.
    super.init(user: "", password: "", persistence: .none)
  }

  required init?(coder: NSCoder) { nil }

  func isFor(_ offered: PublicKey) -> Bool { key == offered }
}
