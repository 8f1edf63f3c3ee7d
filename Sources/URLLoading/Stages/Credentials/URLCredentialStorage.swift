internal import URLLoadingBase

extension NSNotification.Name {
  /// Posted with the storage as its object after its credentials have changed. It comes on a queue of its own.
  public static let NSURLCredentialStorageChanged = NSNotification.Name("NSURLCredentialStorageChanged")
}

/// An option for ``URLCredentialStorage/remove(_:for:options:)``: a true number removes credentials that are kept on other devices, too.
public let NSURLCredentialStorageRemoveSynchronizableCredentials =
  "NSURLCredentialStorageRemoveSynchronizableCredentials"

// Safe to share: stored properties are guarded as said below; subclasses answer for theirs.
/// Credentials by protection space, with which sessions answer challenges.
///
/// A session answers a challenge once with the default credential of the protection space; without one, or if it is
/// rejected, it calls its delegate. An accepted credential becomes the default if its persistence is not `none`.
///
/// ``shared``, and no other storage, keeps permanent credentials in the Secret Service of the user's session
/// (gnome-keyring, KWallet, KeePassXC), if one answers on the session bus. Later processes of the same program find
/// them; no file contains them in plain text. If there is no such service, or it is locked, or does not answer within 5
/// seconds, a permanent credential is kept for the session: its ``URLCredential/persistence`` in the storage is
/// `forSession` then, and a line on standard error says why, once. A service that did not answer is not asked for the
/// next 30 seconds.
///
/// Mutable state: `state`, guarded by its lock.
open class URLCredentialStorage: NSObject, @unchecked Sendable {
  private struct Credentials {
    /// By user name.
    var byUser: [String: URLCredential] = [:]
    var defaultUser: String?
  }

  private struct State {
    var spaces: [URLProtectionSpace: Credentials] = [:]
    /// How many changes there were; the number of the last one of each space, and of the last one of all spaces.
    var changes = 0
    var lastChange: [URLProtectionSpace: Int] = [:]
    var lastChangeOfAll = 0
    /// How many searches of the vault are under way.
    var searches = 0

    /// Records that the program has changed a space, or all with nil.
    mutating func recordChange(of space: URLProtectionSpace?) {
      // Only for searches, which do not know of it.
      guard searches > 0 else { return }
      changes += 1
      if let space { lastChange[space] = changes } else { lastChangeOfAll = changes }
    }

    /// Whether a space has changed since there were so many changes.
    func hasChanged(_ space: URLProtectionSpace, since count: Int) -> Bool {
      max(lastChange[space] ?? 0, lastChangeOfAll) > count
    }
  }

  private let state = Locked(State(), rank: .credentials)
  private static let notifications = DispatchQueue(label: "URLLoading.URLCredentialStorage.notifications")
  /// Where permanent credentials are kept; nil for a storage that is in memory alone.
  let vault: (any CredentialVault)?

  private static let sharedStorage = URLCredentialStorage(
    vault: SecretServiceVault(
      program: ProgramDirectories.current.program,
      busAddress: ProcessEnvironment.value(of: "DBUS_SESSION_BUS_ADDRESS")))

  /// The storage of ``URLSessionConfiguration/default``.
  open class var shared: URLCredentialStorage { sharedStorage }

  /// An empty storage in memory.
  public override init() {
    vault = nil
    super.init()
  }

  init(vault: any CredentialVault) {
    self.vault = vault
    super.init()
  }

  /// The credentials of a space by user name; nil if it has none.
  open func credentials(for space: URLProtectionSpace) -> [String: URLCredential]? {
    waitForVault(unless: { $0[space] != nil })
    return state.withLock { $0.spaces[space]?.byUser }
  }

  /// All credentials, by space and user name.
  open var allCredentials: [URLProtectionSpace: [String: URLCredential]] {
    waitForVault(unless: { _ in false })
    return state.withLock { $0.spaces.mapValues(\.byUser) }
  }

  /// Adds a credential, in the place of one for the same user. One without a user name or with the persistence
  /// ``URLCredential/Persistence/none`` is not kept. A permanent one is when the call returns, or its persistence says that it is not.
  open func set(_ credential: URLCredential, for space: URLProtectionSpace) {
    add(credential, for: space)
    Self.wait { self.keep(credential, for: space, isDefault: false, $0) }
  }

  /// - Returns: whether that changed something.
  @discardableResult
  private func add(_ credential: URLCredential, for space: URLProtectionSpace) -> Bool {
    change(space) { spaces in
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
  ///
  /// `options`: with ``NSURLCredentialStorageRemoveSynchronizableCredentials`` for one that is kept on other devices, too.
  open func remove(_ credential: URLCredential, for space: URLProtectionSpace, options: [String: AnyObject]? = [:]) {
    let removesSynchronizable =
      (options?[NSURLCredentialStorageRemoveSynchronizableCredentials] as? NSNumber)?.boolValue ?? false
    guard credential.persistence != .synchronizable || removesSynchronizable, let user = credential.user else { return }
    waitForVault(unless: { $0[space]?.byUser[user] != nil })
    var kept: KeptCredential?
    change(space) { spaces in
      guard let known = spaces[space]?.byUser[user], Self.isSame(known, credential) else { return false }
      kept = KeptCredential(
        space: space, user: user, password: known.password ?? "", isDefault: spaces[space]?.defaultUser == user)
      spaces[space]?.byUser[user] = nil
      if spaces[space]?.defaultUser == user { spaces[space]?.defaultUser = nil }
      if spaces[space]?.byUser.isEmpty == true { spaces[space] = nil }
      return true
    }
    guard let kept, credential.persistence.isPermanent, let vault else { return }
    Self.wait { done in
      vault.forget(kept) { failure in
        if let failure { StorageWarning.write("a permanent credential was not removed: \(failure)") }
        done()
      }
    }
  }

  /// Whether a credential that was found is the one that is meant: one that could not be made permanent is, too.
  private static func isSame(_ known: URLCredential, _ meant: URLCredential) -> Bool {
    known == meant
      || known.persistence == .forSession && meant.persistence.isPermanent && known.password == meant.password
  }

  /// Removes all credentials. Does not wait for the vault, and calls the handler when that has answered, on any thread.
  func removeAll(completionHandler: @escaping @Sendable () -> Void) {
    guard let vault else {
      // By what a subclass may have overridden.
      let options = [NSURLCredentialStorageRemoveSynchronizableCredentials: NSNumber(value: true)]
      for (space, credentials) in allCredentials {
        for credential in credentials.values { remove(credential, for: space, options: options) }
      }
      return completionHandler()
    }
    change(nil) { spaces in
      let isChanged = !spaces.isEmpty
      spaces = [:]
      return isChanged
    }
    vault.forgetAll { failure in
      switch failure {
      // There is none that could have credentials.
      case nil, .unavailable: break
      case .some(let failure): StorageWarning.write("permanent credentials were not removed: \(failure)")
      }
      completionHandler()
    }
  }

  /// The default credential of a space; nil if there is none.
  open func defaultCredential(for space: URLProtectionSpace) -> URLCredential? {
    waitForVault(unless: { $0[space]?.defaultUser != nil })
    return knownDefault(for: space)
  }

  private func knownDefault(for space: URLProtectionSpace) -> URLCredential? {
    state.withLock { $0.spaces[space].flatMap { known in known.defaultUser.flatMap { known.byUser[$0] } } }
  }

  /// Makes a credential the default of a space, to which it is added, see ``set(_:for:)``.
  open func setDefaultCredential(_ credential: URLCredential, for space: URLProtectionSpace) {
    makeDefault(credential, for: space)
    Self.wait { self.keep(credential, for: space, isDefault: true, $0) }
  }

  /// - Returns: whether that changed something.
  @discardableResult
  private func makeDefault(_ credential: URLCredential, for space: URLProtectionSpace) -> Bool {
    change(space) { spaces in
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
    guard vault != nil else { return completionHandler(credentials(for: space)) }
    askVault(unless: { $0[space] != nil }) { completionHandler(self.state.withLock { $0.spaces[space]?.byUser }) }
  }

  /// Adds a credential that a task was given. Returns at once. One that the storage has already is not kept anew.
  open func set(_ credential: URLCredential, for space: URLProtectionSpace, task: URLSessionTask) {
    guard vault != nil else { return set(credential, for: space) }
    if add(credential, for: space) { keep(credential, for: space, isDefault: false) {} }
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
    guard vault != nil else { return completionHandler(defaultCredential(for: space)) }
    askVault(unless: { $0[space]?.defaultUser != nil }) { completionHandler(self.knownDefault(for: space)) }
  }

  /// Makes a credential of a task the default of a space. Returns at once. Does nothing if it is the default already,
  /// since loads call this for each response that has accepted it.
  open func setDefaultCredential(_ credential: URLCredential, for space: URLProtectionSpace, task: URLSessionTask) {
    guard vault != nil else { return setDefaultCredential(credential, for: space) }
    if makeDefault(credential, for: space) { keep(credential, for: space, isDefault: true) {} }
  }

  // MARK: The vault

  /// Keeps a permanent credential; where that fails, it is one of the session.
  private func keep(
    _ credential: URLCredential, for space: URLProtectionSpace, isDefault: Bool, _ done: @escaping @Sendable () -> Void
  ) {
    guard let vault, credential.persistence.isPermanent, let user = credential.user, let password = credential.password
    else { return done() }
    let kept = KeptCredential(space: space, user: user, password: password, isDefault: isDefault)
    vault.keep(kept) { failure in
      if let failure {
        StorageWarning.write("permanent credentials are kept for the session alone: \(failure)")
        self.change(space) { spaces in
          guard spaces[space]?.byUser[user] == credential else { return false }
          spaces[space]?.byUser[user] = URLCredential(user: user, password: password, persistence: .forSession)
          return true
        }
      }
      done()
    }
  }

  /// Takes up what the vault has, unless what is known is enough.
  private func askVault(
    unless isEnough: @Sendable ([URLProtectionSpace: Credentials]) -> Bool, _ done: @escaping @Sendable () -> Void
  ) {
    guard let vault else { return done() }
    let began = state.withLock { state -> Int? in
      guard !isEnough(state.spaces) else { return nil }
      state.searches += 1
      return state.changes
    }
    guard let began else { return done() }
    vault.credentials { found in
      self.state.withLock { state in
        state.searches -= 1
        defer { if state.searches == 0 { state.lastChange = [:] } }
        // What was changed meanwhile the vault may have as it was before: a credential that was removed would be back.
        for credential in found ?? [] where !state.hasChanged(credential.space, since: began) {
          // What this process was told is newer.
          var known = state.spaces[credential.space] ?? Credentials()
          if known.byUser[credential.user] == nil {
            known.byUser[credential.user] = URLCredential(
              user: credential.user, password: credential.password, persistence: .permanent)
          }
          if credential.isDefault, known.defaultUser == nil { known.defaultUser = credential.user }
          state.spaces[credential.space] = known
        }
      }
      done()
    }
  }

  private func waitForVault(unless isEnough: @Sendable ([URLProtectionSpace: Credentials]) -> Bool) {
    guard vault != nil else { return }
    Self.wait { askVault(unless: isEnough, $0) }
  }

  /// Waits for something that is done after a bounded time.
  private static func wait(_ work: (@escaping @Sendable () -> Void) -> Void) {
    let done = DispatchSemaphore(value: 0)
    work { done.signal() }
    done.wait()
  }

  // MARK: Changes

  /// - Returns: whether that changed something.
  private static func add(_ credential: URLCredential, to known: inout Credentials) -> Bool {
    guard credential.persistence != .none, let user = credential.user, known.byUser[user] != credential
    else { return false }
    known.byUser[user] = credential
    return true
  }

  /// Changes a space, or any with nil, and posts the notification if `body` changed something: on a queue, since observers may block and
  /// the caller may be a load.
  /// - Returns: what `body` says.
  @discardableResult
  private func change(
    _ space: URLProtectionSpace?, _ body: (inout [URLProtectionSpace: Credentials]) -> Bool
  ) -> Bool {
    let isChanged = state.withLock { state in
      let isChanged = body(&state.spaces)
      // What is removed as a whole the vault may have, though nothing here.
      if isChanged || space == nil { state.recordChange(of: space) }
      return isChanged
    }
    if isChanged {
      Self.notifications.async {
        NotificationCenter.default.post(name: .NSURLCredentialStorageChanged, object: self)
      }
    }
    return isChanged
  }
}
