internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

extension NSNotification.Name {
  /// Posted with the storage as its object after cookies were added, changed or removed. It comes on a queue of its
  /// own, and several changes in a row may come as one.
  public static let NSHTTPCookieManagerCookiesChanged = NSNotification.Name("NSHTTPCookieManagerCookiesChanged")
}

// Mutable state: `state` (the policy, whether a notification is under way) and `groupStorages`, each guarded by its lock; the cookies,
// guarded by the persistent cookies'.
// Safe to share: see above; everything else is immutable, and subclasses answer for theirs.
/// Keeps cookies and finds those for a request, by RFC 6265bis.
///
/// ``shared`` and the storages of groups keep cookies that have an expiry date on disk as well, in
/// `$XDG_DATA_HOME/url-loading/<program or group>/cookies.sqlite`, by default below `~/.local/share`, readable only by
/// its owner. A program is identified by its bundle identifier, or by its executable's name and path. Processes that
/// share a file lose none of one another's cookies, and see each other's changes after about a second. Changes are
/// written within a tenth of a second, in the background, and when the program exits;
/// ``URLSession/flush(completionHandler:)`` calls its handler when they are on disk. Without a writable home directory,
/// cookies stay in memory, and a line on standard error says so. A corrupt file is replaced.
///
/// Storages that a program makes, and those of ephemeral sessions, keep their cookies in memory. To exchange cookies
/// with other programs, use ``NetscapeCookieFile``.
///
/// A storage holds at most 180 cookies per site and 3,000 in all; beyond that the oldest are evicted. Cookies of
/// requests with a ``URLRequest/cookiePartitionIdentifier`` are kept apart, with limits of their own: they are reached
/// through tasks, and removed by ``removeCookies(since:)``.
///
/// It also keeps, in the same file, the hosts that require secure connections (`Strict-Transport-Security`, RFC 6797):
/// `http` loads from these are upgraded to `https`.
///
/// A session calls ``getCookiesFor(_:completionHandler:)`` and ``storeCookies(_:for:)`` of a subclass, as Apple's system does. Unless
/// overridden they call the methods without a task.
open class HTTPCookieStorage: NSObject, @unchecked Sendable {
  private struct State {
    var policy = HTTPCookie.AcceptPolicy.always
    var isNotificationPending = false
    /// As it was when an alternative was asked for or recorded last.
    var networkChanges: UInt64?
  }

  private let state = Locked(State())
  private let persistent: PersistentCookies

  private static let sharedStorage = HTTPCookieStorage(in: ProgramDirectories.current.own(.data))
  private static let groupStorages = Locked<[String: HTTPCookieStorage]>([:])
  private static let notifications = DispatchQueue(label: "URLLoading.HTTPCookieStorage.notifications")

  /// An empty storage in memory.
  public override init() {
    persistent = PersistentCookies(.memory)
  }

  /// A storage with a file in a directory, which is made where there is none; nil where there can be none.
  /// - Parameter busyTimeout: how long a write waits for that of another process before it is tried again later.
  init(in directory: String?, busyTimeout: Duration = .seconds(5)) {
    persistent = PersistentCookies(
      directory.map { .file("\($0)/cookies.sqlite") } ?? .nowhere, busyTimeout: busyTimeout)
    super.init()
    persistent.onChangeByOthers { [weak self] in self?.notify() }
  }

  /// The directory of the file; nil for a storage in memory.
  var directory: String? { persistent.directory }

  /// The storage that sessions use unless their configuration names another: that of this program, which outlives it.
  open class var shared: HTTPCookieStorage { sharedStorage }

  /// The storage that all users of an identifier share: in this process the same object, and all processes of a user the same cookies.
  open class func sharedCookieStorage(forGroupContainerIdentifier identifier: String) -> HTTPCookieStorage {
    groupStorages.withLock { storages in
      if let storage = storages[identifier] { return storage }
      let storage = HTTPCookieStorage(in: ProgramDirectories.current.shared(.data, by: identifier))
      storages[identifier] = storage
      return storage
    }
  }

  /// Which cookies the storage takes; all by default. The configuration of a session has a policy as well: the stricter
  /// one decides.
  open var cookieAcceptPolicy: HTTPCookie.AcceptPolicy {
    get { state.withLock { $0.policy } }
    set { state.withLock { $0.policy = newValue } }
  }

  /// All cookies that have not expired, oldest first. Never nil.
  open var cookies: [HTTPCookie]? {
    persistent.withJar { $0.all(now: Date()) }
  }

  /// The cookies for a request to a URL, in the order of sending: longest path first, then oldest first. Never nil.
  open func cookies(for url: URL) -> [HTTPCookie]? {
    guard let origin = CookieOrigin(url) else { return [] }
    return persistent.withJar { $0.cookies(for: origin, partition: CookieJar.common, now: Date()) }
  }

  /// Stores a cookie, in place of one with the same name, domain and path; one that has expired removes that. With the
  /// policy `never` nothing is stored.
  open func setCookie(_ cookie: HTTPCookie) {
    guard cookieAcceptPolicy != .never else { return }
    change { jar in jar.change(in: CookieJar.common) { $0.store(cookie, now: Date()) } }
  }

  /// Stores cookies of a response, as far as the policy and RFC 6265bis 5.7 let a server at that URL set them.
  ///
  /// - Parameters:
  ///   - cookies: the cookies.
  ///   - url: where they come from; with nil they are stored as by `setCookie(_:)`.
  ///   - mainDocumentURL: the document that the response is a part of; nil for none.
  open func setCookies(_ cookies: [HTTPCookie], for url: URL?, mainDocumentURL: URL?) {
    guard let url else {
      for cookie in cookies { setCookie(cookie) }
      return
    }
    guard let origin = CookieOrigin(url, mainDocumentURL: mainDocumentURL) else { return }
    store(cookies, from: origin, policy: .always)
  }

  /// Removes the cookie with the same name, domain and path.
  open func deleteCookie(_ cookie: HTTPCookie) {
    change { jar in jar.change(in: CookieJar.common) { $0.remove(cookie) } }
  }

  /// Removes the cookies that were stored or changed after a date. `Strict-Transport-Security` policies stay, so that a
  /// logout does not weaken security. ``URLSession/reset(completionHandler:)`` removes them too.
  open func removeCookies(since date: Date) {
    change { $0.removeAll(storedSince: date) }
  }

  // MARK: - For a task

  /// Gives the cookies for a task's current request, in the order of sending; nil for a task without one.
  open func getCookiesFor(
    _ task: URLSessionTask, completionHandler: @escaping @Sendable ([HTTPCookie]?) -> Void
  ) {
    guard let request = task.currentRequest, let url = request.url else { return completionHandler(nil) }
    guard isSubclassed, request.cookiePartitionIdentifier == nil else {
      return completionHandler(
        takeCookies(for: url, mainDocumentURL: request.mainDocumentURL, partition: request.cookiePartitionIdentifier))
    }
    // The method that a subclass may have overridden knows nothing of the document.
    let origin = CookieOrigin(url, mainDocumentURL: request.mainDocumentURL)
    completionHandler(cookies(for: url)?.filter { cookie in origin.map { cookie.mayGo(to: $0) } ?? true })
  }

  /// Stores cookies that a task's response has set, as far as the storage's policy and RFC 6265bis 5.7 let its server set them.
  open func storeCookies(_ cookies: [HTTPCookie], for task: URLSessionTask) {
    guard let request = task.currentRequest, let url = request.url else { return }
    guard let partition = request.cookiePartitionIdentifier else {
      return setCookies(cookies, for: url, mainDocumentURL: request.mainDocumentURL)
    }
    guard let origin = CookieOrigin(url, mainDocumentURL: request.mainDocumentURL) else { return }
    store(cookies, from: origin, policy: .always, partition: partition)
  }

  /// All cookies, sorted by the descriptors.
  open func sortedCookies(using sortOrder: [NSSortDescriptor]) -> [HTTPCookie] {
    let all = cookies ?? []
    return (NSArray(array: all).sortedArray(using: sortOrder) as? [HTTPCookie]) ?? all
  }

  open override var description: String {
    "<\(type(of: self)) cookies count: \(cookies?.count ?? 0)>"
  }

  // MARK: - For loads

  /// Reads the file if there is one and that was not done yet: for threads that may wait.
  func load() { persistent.load() }

  /// Whether there may be a cookie for a request.
  final var hasCookies: Bool { !persistent.isEmpty }

  /// Whether loads go by the methods that a program may have overridden.
  var isSubclassed: Bool { type(of: self) != HTTPCookieStorage.self }

  /// The value of the `Cookie` field for a request, with the octets that the cookies came with; nil if no cookie is for it.
  func cookieField(for url: URL, mainDocumentURL: URL?, partition: String?) -> OctetText? {
    // Before the URL is taken apart: many storages stay empty.
    guard !persistent.isEmpty else { return nil }
    let found = takeCookies(for: url, mainDocumentURL: mainDocumentURL, partition: partition)
    return found.isEmpty ? nil : HTTPCookie.field(for: found)
  }

  /// Stores what the `Set-Cookie` fields of a response say, one value for each field.
  ///
  /// - Parameter policy: the session's. The stricter of this and the storage's own decides.
  func store(
    setCookies values: [OctetText], from url: URL, mainDocumentURL: URL?, policy: HTTPCookie.AcceptPolicy,
    partition: String?
  ) {
    guard !values.isEmpty, let origin = CookieOrigin(url, mainDocumentURL: mainDocumentURL) else { return }
    store(
      values.compactMap { HTTPCookie(setCookie: $0, origin: origin) }, from: origin, policy: policy,
      partition: partition)
  }

  /// The cookies of a response as a storage of the program's own gets them: those that the session's policy accepts.
  static func cookies(
    setCookies values: [OctetText], from url: URL, mainDocumentURL: URL?, policy: HTTPCookie.AcceptPolicy
  ) -> [HTTPCookie] {
    guard let origin = CookieOrigin(url, mainDocumentURL: mainDocumentURL), policy.accepts(from: origin) else {
      return []
    }
    return values.compactMap { HTTPCookie(setCookie: $0, origin: origin) }
  }

  /// The cookies for a request that is made: they have been used then.
  private func takeCookies(for url: URL, mainDocumentURL: URL?, partition: String?) -> [HTTPCookie] {
    guard let origin = CookieOrigin(url, mainDocumentURL: mainDocumentURL) else { return [] }
    return persistent.withJar { $0.take(for: origin, partition: partition ?? CookieJar.common, now: Date()) }
  }

  private func store(
    _ cookies: [HTTPCookie], from origin: CookieOrigin, policy: HTTPCookie.AcceptPolicy, partition: String? = nil
  ) {
    guard !cookies.isEmpty, policy.accepts(from: origin), cookieAcceptPolicy.accepts(from: origin) else { return }
    change { jar in
      let now = Date()
      return jar.change(in: partition ?? CookieJar.common) { store in
        var isChanged = false
        for cookie in cookies where store.store(cookie, from: origin, now: now) { isChanged = true }
        return isChanged
      }
    }
  }

  /// Calls the handler when all changes before this call have reached the disk, or cannot; on any thread.
  func flush(completionHandler: @escaping @Sendable () -> Void) {
    persistent.flush(completionHandler: completionHandler)
  }

  // MARK: Transport security

  /// Whether any host has a policy of transport security.
  var hasTransportPolicies: Bool { !persistent.hasNoPolicies }

  /// Whether a host is to be reached over secure connections alone.
  func requiresSecureTransport(to host: String) -> Bool {
    persistent.withJar { $0.policies.policy(for: host, now: Date()) != nil }
  }

  /// Records what a host says by `Strict-Transport-Security`, see ``HSTSStore/record(_:from:isSecure:isVerified:now:)``.
  func recordTransportSecurity(_ field: String, from host: String, isSecure: Bool, isVerified: Bool) {
    persistent.withJar {
      $0.record(transportSecurity: field, from: host, isSecure: isSecure, isVerified: isVerified, now: Date())
    }
  }

  /// Forgets what all hosts have said.
  func removeTransportPolicies() {
    persistent.withJar { jar in
      jar.removePolicies()
      jar.removeAlternatives()
    }
  }

  // MARK: Alternatives

  /// Where an origin can be reached by HTTP/3; nil where it has not said so.
  func alternative(for origin: HTTPOrigin) -> AlternativeService? {
    guard !persistent.hasNoAlternatives else { return nil }
    forgetAlternativesOfOtherNetworks()
    return persistent.withJar { $0.alternatives.service(for: origin, now: Date()) }
  }

  /// Records what an origin says by `Alt-Svc`, see ``AlternativeServiceStore/record(_:from:isVerified:age:now:)``.
  func recordAlternatives(_ field: String, from origin: HTTPOrigin, isVerified: Bool, age: Int64) {
    forgetAlternativesOfOtherNetworks()
    persistent.withJar { jar in
      jar.changeAlternatives { $0.record(field, from: origin, isVerified: isVerified, age: age, now: Date()) }
    }
  }

  /// Forgets where an origin can be reached: its server does not speak for it (RFC 7838, section 6).
  func removeAlternative(of origin: HTTPOrigin) {
    persistent.withJar { jar in jar.changeAlternatives { $0.remove(origin) } }
  }

  /// What was said in another network need not be true in this one (RFC 7838, section 2.2).
  private func forgetAlternativesOfOtherNetworks() {
    let changes = NetworkChanges.shared.count
    let isChanged = state.withLock { state in
      defer { state.networkChanges = changes }
      return state.networkChanges.map { $0 != changes } ?? false
    }
    if isChanged { persistent.withJar { jar in jar.changeAlternatives { $0.networkChanged() } } }
  }

  private func change(_ body: (inout CookieJar) -> Bool) {
    if persistent.withJar(body) { notify() }
  }

  /// Posts the notification that cookies have changed: on a queue, since observers may block and the caller may be a load.
  private func notify() {
    let isFirst = state.withLock { state in
      defer { state.isNotificationPending = true }
      return !state.isNotificationPending
    }
    guard isFirst else { return }
    Self.notifications.async { [self] in
      state.withLock { $0.isNotificationPending = false }
      NotificationCenter.default.post(name: .NSHTTPCookieManagerCookiesChanged, object: self)
    }
  }
}
