internal import URLLoadingBase

extension NSNotification.Name {
  /// Posted with the storage as its object after cookies were added, changed or removed. It comes on a queue of its
  /// own, and several changes in a row may come as one.
  public static let NSHTTPCookieManagerCookiesChanged = NSNotification.Name("NSHTTPCookieManagerCookiesChanged")
}

// Mutable state: `state` (the cookies, the partitions, the policy, whether a notification is under way), guarded by its lock.
// Safe to share: see above; everything else is immutable, and subclasses answer for theirs.
/// Keeps cookies and finds those for a request, by RFC 6265bis.
///
/// Storages keep their cookies in memory. They take at most 180 cookies of a site and 3,000 in all; beyond that the
/// oldest go. Cookies of requests with a ``URLRequest/cookiePartitionIdentifier`` are kept apart, with limits of their own: they are
/// reached through tasks, and removed by ``removeCookies(since:)``.
///
/// A session calls ``getCookiesFor(_:completionHandler:)`` and ``storeCookies(_:for:)`` of a subclass, as Apple's system does. Unless
/// overridden they call the methods without a task.
open class HTTPCookieStorage: NSObject, @unchecked Sendable {
  private struct State {
    var cookies = CookieStore()
    /// By the identifiers of requests; none is empty.
    var partitions: [String: CookieStore] = [:]
    var policy = HTTPCookie.AcceptPolicy.always
    var isNotificationPending = false

    /// Changes the cookies of a partition, or those of none.
    mutating func inPartition(_ partition: String?, _ body: (inout CookieStore) -> Bool) -> Bool {
      guard let partition else { return body(&cookies) }
      var store = partitions.removeValue(forKey: partition) ?? CookieStore()
      defer { if !store.isEmpty { partitions[partition] = store } }
      return body(&store)
    }
  }

  private let state = Locked(State())

  private static let sharedStorage = HTTPCookieStorage()
  private static let groupStorages = Locked<[String: HTTPCookieStorage]>([:])
  private static let notifications = DispatchQueue(label: "URLLoading.HTTPCookieStorage.notifications")

  /// An empty storage.
  public override init() {}

  /// The storage that sessions use unless their configuration names another.
  open class var shared: HTTPCookieStorage { sharedStorage }

  /// The storage that all users of an identifier in this process share.
  open class func sharedCookieStorage(forGroupContainerIdentifier identifier: String) -> HTTPCookieStorage {
    groupStorages.withLock { storages in
      if let storage = storages[identifier] { return storage }
      let storage = HTTPCookieStorage()
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
    state.withLock { $0.cookies.all(now: Date()) }
  }

  /// The cookies for a request to a URL, in the order of sending: longest path first, then oldest first. Never nil.
  open func cookies(for url: URL) -> [HTTPCookie]? {
    cookies(for: url, mainDocumentURL: nil)
  }

  /// Stores a cookie, in place of one with the same name, domain and path; one that has expired removes that. With the
  /// policy `never` nothing is stored.
  open func setCookie(_ cookie: HTTPCookie) {
    change { $0.policy != .never && $0.cookies.store(cookie, now: Date()) }
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
    change { $0.cookies.remove(cookie) }
  }

  /// Removes the cookies that were stored or changed after a date.
  open func removeCookies(since date: Date) {
    change { state in
      var isChanged = state.cookies.removeAll(storedSince: date)
      for partition in state.partitions.keys {
        let removes = state.inPartition(partition) { $0.removeAll(storedSince: date) }
        isChanged = isChanged || removes
      }
      return isChanged
    }
  }

  // MARK: - For a task

  /// Gives the cookies for a task's current request, in the order of sending; nil for a task without one.
  open func getCookiesFor(
    _ task: URLSessionTask, completionHandler: @escaping @Sendable ([HTTPCookie]?) -> Void
  ) {
    guard let request = task.currentRequest, let url = request.url else { return completionHandler(nil) }
    guard isSubclassed, request.cookiePartitionIdentifier == nil else {
      return completionHandler(
        cookies(for: url, mainDocumentURL: request.mainDocumentURL, partition: request.cookiePartitionIdentifier))
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

  /// Whether loads go by the methods that a program may have overridden.
  var isSubclassed: Bool { type(of: self) != HTTPCookieStorage.self }

  /// The value of the `Cookie` field for a request, or nil if no cookie is for it.
  func cookieHeader(for url: URL, mainDocumentURL: URL? = nil, partition: String? = nil) -> String? {
    // Before the URL is taken apart: many storages stay empty.
    guard state.withLock({ !$0.cookies.isEmpty || !$0.partitions.isEmpty }) else { return nil }
    let found = cookies(for: url, mainDocumentURL: mainDocumentURL, partition: partition)
    return found.isEmpty ? nil : HTTPCookie.fieldValue(for: found)
  }

  /// Stores what the `Set-Cookie` fields of a response say, one value for each field.
  ///
  /// - Parameter policy: the session's. The stricter of this and the storage's own decides.
  func store(
    setCookieValues values: [String], from url: URL, mainDocumentURL: URL? = nil,
    policy: HTTPCookie.AcceptPolicy = .always, partition: String? = nil
  ) {
    guard !values.isEmpty, let origin = CookieOrigin(url, mainDocumentURL: mainDocumentURL) else { return }
    store(
      values.compactMap { HTTPCookie(setCookie: $0, origin: origin) }, from: origin, policy: policy,
      partition: partition)
  }

  /// The cookies of a response as a storage of the program's own gets them: those that the session's policy accepts.
  static func cookies(
    setCookieValues values: [String], from url: URL, mainDocumentURL: URL?, policy: HTTPCookie.AcceptPolicy
  ) -> [HTTPCookie] {
    guard let origin = CookieOrigin(url, mainDocumentURL: mainDocumentURL), policy.accepts(from: origin) else {
      return []
    }
    return values.compactMap { HTTPCookie(setCookie: $0, origin: origin) }
  }

  private func cookies(for url: URL, mainDocumentURL: URL?, partition: String? = nil) -> [HTTPCookie] {
    guard let origin = CookieOrigin(url, mainDocumentURL: mainDocumentURL) else { return [] }
    return state.withLock { state in
      let store = partition.map { state.partitions[$0] } ?? state.cookies
      return store?.cookies(for: origin, now: Date()) ?? []
    }
  }

  private func store(
    _ cookies: [HTTPCookie], from origin: CookieOrigin, policy: HTTPCookie.AcceptPolicy, partition: String? = nil
  ) {
    guard !cookies.isEmpty else { return }
    change { state in
      guard policy.accepts(from: origin), state.policy.accepts(from: origin) else { return false }
      let now = Date()
      return state.inPartition(partition) { store in
        var isChanged = false
        for cookie in cookies where store.store(cookie, from: origin, now: now) { isChanged = true }
        return isChanged
      }
    }
  }

  /// Changes the state and, if `body` says that cookies changed, posts the notification: on a queue, since observers may block and
  /// the caller may be a load.
  private func change(_ body: (inout State) -> Bool) {
    let notifies = state.withLock { state in
      let isChanged = body(&state)
      guard isChanged, !state.isNotificationPending else { return false }
      state.isNotificationPending = true
      return true
    }
    guard notifies else { return }
    Self.notifications.async { [self] in
      state.withLock { $0.isNotificationPending = false }
      NotificationCenter.default.post(name: .NSHTTPCookieManagerCookiesChanged, object: self)
    }
  }
}
