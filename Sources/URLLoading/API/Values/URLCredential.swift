// Safe to share: nothing changes after init.
/// What answers a challenge: a user name and a password, an identity, or trust in a server.
open class URLCredential: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  /// How long a credential is kept after its first use.
  @frozen public enum Persistence: UInt, Sendable {
    /// Not at all.
    case none = 0
    /// As long as the session lives.
    case forSession = 1
    /// For ever, in the Secret Service of the user's session (``URLCredentialStorage``).
    case permanent = 2
    /// For ever, and on other devices of the user where a system offers that; here the same as permanent.
    case synchronizable = 3
  }

  /// How long the credential is kept. In a storage, `forSession` for one that could not be made permanent.
  open var persistence: Persistence { storedPersistence }
  private let storedPersistence: Persistence

  private let storedUser: String?
  private let storedPassword: String?
  /// What is in no archive and in no storage.
  private let proof: Proof

  enum Proof {
    case none
    case trust(SecTrust)
    case identity(SecIdentity, certificates: [Any])
  }

  /// A credential for all methods that want a user and a password.
  public init(user: String, password: String, persistence: Persistence) {
    storedUser = user
    storedPassword = password
    storedPersistence = persistence
    proof = .none
  }

  /// Accepts the server with these certificates, whatever the result of their evaluation.
  public init(trust: SecTrust) {
    storedUser = nil
    storedPassword = nil
    storedPersistence = .none
    proof = .trust(trust)
  }

  /// A certificate and its key, for a server that requests a client certificate.
  ///
  /// - Parameters:
  ///   - identity: the certificate and its key.
  ///   - certificates: what is sent along with it, as ``SecCertificate``; nil for what came with the identity.
  ///   - persistence: with `forSession`, later connections of the session to this server use it without a challenge. It
  ///     is never stored.
  public init(identity: SecIdentity, certificates: [Any]?, persistence: Persistence) {
    storedUser = nil
    storedPassword = nil
    storedPersistence = persistence
    proof = .identity(identity, certificates: certificates ?? identity.intermediates)
  }

  /// Reads an archived credential; nil if it is damaged.
  public required init?(coder: NSCoder) {
    guard let list = PropertyListArchive.decode(from: coder),
      let persistence = (list["persistence"] as? Int).flatMap(UInt.init(exactly:)).flatMap(Persistence.init)
    else { return nil }
    storedUser = list["user"] as? String
    storedPassword = list["password"] as? String
    storedPersistence = persistence
    proof = .none
  }

  /// A credential from an archive of another object; nil if it is damaged.
  init?(archived list: [String: Any]) {
    guard
      let persistence = (list["persistence"] as? Int).flatMap(UInt.init(exactly:)).flatMap(Persistence.init)
    else { return nil }
    storedUser = list["user"] as? String
    storedPassword = list["password"] as? String
    storedPersistence = persistence
    proof = .none
  }

  /// The trust that it expresses in a server.
  var trust: SecTrust? { if case .trust(let trust) = proof { trust } else { nil } }

  /// The identity; nil for a credential of another kind.
  open var identity: SecIdentity? { if case .identity(let identity, _) = proof { identity } else { nil } }

  /// What is sent along with the identity; empty for a credential of another kind.
  open var certificates: [Any] { if case .identity(_, let certificates) = proof { certificates } else { [] } }

  /// What archives hold.
  var archivedList: [String: Any] {
    var list: [String: Any] = ["persistence": Int(persistence.rawValue)]
    list["user"] = user
    list["password"] = password
    return list
  }

  /// Archives the credential, its password included and readable; of an identity and of trust nothing.
  open func encode(with coder: NSCoder) {
    PropertyListArchive.encode(archivedList, with: coder)
  }

  /// Always true.
  open class var supportsSecureCoding: Bool { true }

  /// The credential itself: it cannot change.
  open override func copy() -> Any { self }

  /// The credential itself: it cannot change.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? URLCredential else { return false }
    guard other !== self else { return true }
    // Those about connections are what they are.
    guard case .none = proof, case .none = other.proof else { return false }
    return user == other.user && password == other.password && persistence == other.persistence
  }

  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(user)
    hasher.combine(persistence)
    return hasher.finalize()
  }

  /// The user, without the password.
  open override var description: String {
    "<\(type(of: self))> { user: \(user ?? "nil"), has password: \(hasPassword) }"
  }

  /// The user's name.
  open var user: String? { storedUser }

  /// The password.
  open var password: String? { storedPassword }

  /// Whether there is a password.
  open var hasPassword: Bool { storedPassword != nil }
}

extension URLCredential.Persistence {
  /// Whether a credential outlives the process.
  var isPermanent: Bool { self == .permanent || self == .synchronizable }
}
