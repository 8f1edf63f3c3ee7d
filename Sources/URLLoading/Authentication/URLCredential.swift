// Safe to share: nothing changes after init.
/// A user name and a password, and how long they are to be kept.
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

  /// A credential for all methods that want a user and a password.
  public init(user: String, password: String, persistence: Persistence) {
    storedUser = user
    storedPassword = password
    storedPersistence = persistence
  }

  /// Reads an archived credential; nil if it is damaged.
  public required init?(coder: NSCoder) {
    guard let list = PropertyListArchive.decode(from: coder),
      let persistence = (list["persistence"] as? Int).flatMap(UInt.init(exactly:)).flatMap(Persistence.init)
    else { return nil }
    storedUser = list["user"] as? String
    storedPassword = list["password"] as? String
    storedPersistence = persistence
  }

  /// A credential from an archive of another object; nil if it is damaged.
  init?(archived list: [String: Any]) {
    guard
      let persistence = (list["persistence"] as? Int).flatMap(UInt.init(exactly:)).flatMap(Persistence.init)
    else { return nil }
    storedUser = list["user"] as? String
    storedPassword = list["password"] as? String
    storedPersistence = persistence
  }

  /// What archives hold.
  var archivedList: [String: Any] {
    var list: [String: Any] = ["persistence": Int(persistence.rawValue)]
    list["user"] = storedUser
    list["password"] = storedPassword
    return list
  }

  /// Archives the credential, its password included and readable.
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
    return other === self
      || user == other.user && password == other.password && persistence == other.persistence
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
