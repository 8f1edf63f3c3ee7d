import URLLoading

// Safe to share: nothing changes after init.
/// The protection space of a challenge about a host key: a session's delegate gets it when a server shows a key that no known_hosts file
/// has.
///
/// Its authentication method is ``method``. Only ``acceptance`` as the credential accepts the key, so that a delegate that gives a password
/// to every challenge accepts none by accident.
///
/// ```swift
/// if let space = challenge.protectionSpace as? SFTPHostKeySpace, space.fingerprint == expected {
///   completionHandler(.useCredential, space.acceptance)
/// }
/// ```
public final class SFTPHostKeySpace: URLProtectionSpace, @unchecked Sendable {
  /// The authentication method: that of server trust.
  public static let method = "NSURLAuthenticationMethodServerTrust"

  /// The type of the key, such as `ssh-ed25519`.
  public let keyType: String

  /// The fingerprint of the key as OpenSSH prints it: `SHA256:` and base64.
  public let fingerprint: String

  /// The server's keys in known_hosts files, each with its type, fingerprint, file and line.
  public let knownKeys: [String]

  /// Whether the server has another known key of this type: it has a new key, or somebody intercepts the connection.
  public let isChanged: Bool

  /// The credential that accepts the key, for this session.
  public let acceptance: URLCredential

  init(host: String, port: Int, key: PublicKey, knownKeys: [String], isChanged: Bool) {
    keyType = key.type
    fingerprint = key.fingerprint
    self.knownKeys = knownKeys
    self.isChanged = isChanged
    acceptance = SFTPHostKeyAcceptance(key)
    super.init(host: host, port: port, protocol: "sftp", realm: nil, authenticationMethod: Self.method)
  }

  /// Not supported.
  public required init?(coder: NSCoder) { nil }
}

/// Accepts a host key.
// Safe to share: nothing changes after init.
final class SFTPHostKeyAcceptance: URLCredential, @unchecked Sendable {
  private let key: PublicKey?

  init(_ key: PublicKey) {
    self.key = key
    // A storage would offer it for other keys of the server; `SessionMemory` keeps accepted keys.
    super.init(user: "", password: "", persistence: .none)
  }

  required init?(coder: NSCoder) { nil }

  func isFor(_ offered: PublicKey) -> Bool { key == offered }
}
