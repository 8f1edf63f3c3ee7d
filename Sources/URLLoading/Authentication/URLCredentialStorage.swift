internal import URLLoadingBase

extension NSNotification.Name {
  /// Posted by a storage when its credentials have changed.
  public static let NSURLCredentialStorageChanged = NSNotification.Name("NSURLCredentialStorageChanged")
}

/// An option for ``URLCredentialStorage/remove(_:for:options:)``: a true number removes credentials that are kept on other devices, too.
public let NSURLCredentialStorageRemoveSynchronizableCredentials =
  "NSURLCredentialStorageRemoveSynchronizableCredentials"

// Safe to share: stored properties are guarded as said below; subclasses answer for theirs.
/// Credentials by the place that wants them, for sessions to answer challenges with.
///
/// A session answers a challenge once with the default credential of the protection space; where that is refused, or there is none, it
/// calls its delegate. An accepted credential becomes the default if its persistence is not `none`.
///
/// All credentials are kept in memory, permanent ones too: Linux has no key chain that programs share.
///
/// Mutable state: `spaces`, guarded by its lock.
open class URLCredentialStorage: NSObject, @unchecked Sendable {
  private struct Credentials {
    /// By user name.
    var byUser: [String: URLCredential] = [:]
    var defaultUser: String?
  }

  private let spaces = Locked<[URLProtectionSpace: Credentials]>([:])

  private static let sharedStorage = URLCredentialStorage()

  /// The storage of ``URLSessionConfiguration/default``.
  open class var shared: URLCredentialStorage { sharedStorage }

  /// An empty storage.
  public override init() {
    super.init()
  }

  /// The credentials of a space by user name; nil if it has none.
  open func credentials(for space: URLProtectionSpace) -> [String: URLCredential]? {
    spaces.withLock { $0[space]?.byUser }
  }

  /// All credentials, by space and user name.
  open var allCredentials: [URLProtectionSpace: [String: URLCredential]] {
    spaces.withLock { $0.mapValues(\.byUser) }
  }

  /// Adds a credential, in the place of one for the same user. One without a user name or with the persistence
  /// ``URLCredential/Persistence/none`` is not kept.
  open func set(_ credential: URLCredential, for space: URLProtectionSpace) {
    change { spaces in
      var known = spaces[space] ?? Credentials()
      guard Self.add(credential, to: &known) else { return false }
      spaces[space] = known
      return true
    }
  }

  /// Removes a credential; one that is kept on other devices, too, only with an option, see ``remove(_:for:options:)``.
  open func remove(_ credential: URLCredential, for space: URLProtectionSpace) {
    remove(credential, for: space, options: nil)
  }

  /// Removes a credential.
  /// - Parameter options: with ``NSURLCredentialStorageRemoveSynchronizableCredentials`` for one that is kept on other devices, too.
  open func remove(_ credential: URLCredential, for space: URLProtectionSpace, options: [String: AnyObject]? = [:]) {
    let removesSynchronizable =
      (options?[NSURLCredentialStorageRemoveSynchronizableCredentials] as? NSNumber)?.boolValue ?? false
    guard credential.persistence != .synchronizable || removesSynchronizable, let user = credential.user else { return }
    change { spaces in
      guard spaces[space]?.byUser[user] == credential else { return false }
      spaces[space]?.byUser[user] = nil
      if spaces[space]?.defaultUser == user { spaces[space]?.defaultUser = nil }
      if spaces[space]?.byUser.isEmpty == true { spaces[space] = nil }
      return true
    }
  }

  /// Removes all credentials.
  func removeAll() {
    let options = [NSURLCredentialStorageRemoveSynchronizableCredentials: NSNumber(value: true)]
    for (space, credentials) in allCredentials {
      for credential in credentials.values { remove(credential, for: space, options: options) }
    }
  }

  /// The default credential of a space; nil if there is none.
  open func defaultCredential(for space: URLProtectionSpace) -> URLCredential? {
    spaces.withLock { $0[space].flatMap { known in known.defaultUser.flatMap { known.byUser[$0] } } }
  }

  /// Makes a credential the default of a space, to which it is added.
  open func setDefaultCredential(_ credential: URLCredential, for space: URLProtectionSpace) {
    change { spaces in
      var known = spaces[space] ?? Credentials()
      let isNew = Self.add(credential, to: &known)
      guard let user = credential.user, known.byUser[user] == credential, isNew || known.defaultUser != user
      else { return false }
      known.defaultUser = user
      spaces[space] = known
      return true
    }
  }

  // MARK: For a task

  /// Gives the credentials of a space by user name, for a task.
  open func getCredentials(
    for space: URLProtectionSpace, task: URLSessionTask,
    completionHandler: @escaping @Sendable ([String: URLCredential]?) -> Void
  ) {
    completionHandler(credentials(for: space))
  }

  /// Adds a credential that a task was given.
  open func set(_ credential: URLCredential, for space: URLProtectionSpace, task: URLSessionTask) {
    set(credential, for: space)
  }

  /// Removes a credential, for a task.
  open func remove(
    _ credential: URLCredential, for space: URLProtectionSpace, options: [String: AnyObject]? = [:],
    task: URLSessionTask
  ) {
    remove(credential, for: space, options: options)
  }

  /// Gives the default credential of a space, for a task.
  open func getDefaultCredential(
    for space: URLProtectionSpace, task: URLSessionTask, completionHandler: @escaping @Sendable (URLCredential?) -> Void
  ) {
    completionHandler(defaultCredential(for: space))
  }

  /// Makes a credential that a task was given the default of a space.
  open func setDefaultCredential(_ credential: URLCredential, for space: URLProtectionSpace, task: URLSessionTask) {
    setDefaultCredential(credential, for: space)
  }

  // MARK: Changes

  /// - Returns: whether that changed something.
  private static func add(_ credential: URLCredential, to known: inout Credentials) -> Bool {
    guard credential.persistence != .none, let user = credential.user, known.byUser[user] != credential
    else { return false }
    known.byUser[user] = credential
    return true
  }

  /// Changes the storage, and posts the notification if `body` changed something.
  private func change(_ body: (inout [URLProtectionSpace: Credentials]) -> Bool) {
    if spaces.withLock({ body(&$0) }) {
      NotificationCenter.default.post(name: .NSURLCredentialStorageChanged, object: self)
    }
  }
}
