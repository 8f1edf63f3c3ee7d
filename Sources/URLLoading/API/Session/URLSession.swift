internal import Synchronization
internal import URLLoadingBase

// Safe to share: see below; everything else is immutable.
/// Loads URLs of every scheme that has a protocol class, by tasks that report to a delegate or a completion handler, or by
/// `async` functions.
///
/// A session retains its tasks from their creation to their end, and each task its session. Invalidate a session that is no longer
/// needed, ``URLSession/shared`` apart: else a task that is neither resumed nor cancelled keeps both alive.
///
/// Subclasses, such as those of tests, may override every method that makes a task. None of these calls another, so
/// override each that the code under test uses; the `async` functions call those with completion handlers.
///
/// Mutable state: `state`, guarded by its lock; `lifetime`, atomic, and written under that lock alone; in `parts`, the registry of tasks, the
/// components and the deadlines, each with a lock of its own.
open class URLSession: NSObject, ShadowableMembers, @unchecked Sendable {
  private enum Lifetime: UInt8, AtomicRepresentable { case valid, finishing, invalid }

  private struct State {
    var delegates = SessionDelegates.none
    var description: String?
    var delegateQueue: OperationQueue?
    /// Set as it is made.
    var isShared = false
    /// Calls of ``invalidateAndCancel()`` that still cancel tasks.
    var cancellers = 0
    /// Called once the delegate was told that the session is invalid.
    var invalidityHandlers: [@Sendable () -> Void] = []
    var isReportedInvalid = false
  }

  /// How long the call `didBecomeInvalidWithError` waits for uploads that have ended to remove their temporary files.
  private static let shutdownTimeout = Duration.seconds(25)

  private let state: Locked<State>
  /// What loads look at without the lock. An ending task, which leaves the registry first, and a session that is about to end, which looks at
  /// the registry last, cannot both miss the other: the registry's lock orders them.
  private let lifetime = Atomic(Lifetime.valid)
  /// Whether there is a delegate, or was.
  let hadDelegate: Bool
  let parts: SessionParts

  /// The queue that delegate methods and completion handlers run on.
  open var delegateQueue: OperationQueue {
    // Made at its first use: it is expensive, and async functions without a delegate never use it.
    state.withLock { state in
      if let queue = state.delegateQueue { return queue }
      let queue = DelegateQueue()
      state.delegateQueue = queue
      return queue
    }
  }

  /// The session that programs share: default configuration, no delegate. Invalidating it has no effect.
  open class var shared: URLSession { sharedInstance }
  private static let sharedInstance = {
    let session = URLSession(configuration: .default)
    session.state.withLock { $0.isShared = true }
    return session
  }()

  private var isShared: Bool { state.withLock { $0.isShared } }

  /// Makes a session with the default configuration: `URLSession()`, and `super.init()` of subclasses, as on Apple's systems.
  ///
  /// It is not `init()`, which FoundationNetworking's class does not have: a subclass may declare that without `override`.
  public init(_ nothing: Void = ()) {
    parts = SessionParts(configuration: .default)
    state = Locked(State(), rank: .session)
    hadDelegate = false
    super.init()
  }

  /// Makes a session without a delegate.
  public init(configuration: URLSessionConfiguration) {
    parts = SessionParts(configuration: configuration)
    state = Locked(State(), rank: .session)
    hadDelegate = false
    super.init()
    parts.background?.begin(self)
  }

  /// Makes a session.
  /// - Parameters:
  ///   - configuration: copied.
  ///   - delegate: retained until the session is invalid.
  ///   - queue: a serial queue for delegate methods and completion handlers; nil makes one.
  public init(
    configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?, delegateQueue queue: OperationQueue?
  ) {
    parts = SessionParts(configuration: configuration, hasDelegate: delegate != nil)
    state = Locked(State(delegates: SessionDelegates(delegate), delegateQueue: queue), rank: .session)
    hadDelegate = delegate != nil
    super.init()
    parts.background?.begin(self)
  }

  deinit {
    parts.background?.end()
    components.invalidate()
    deadlines.stop()
  }

  /// A copy of the session's configuration.
  open var configuration: URLSessionConfiguration {
    SessionParts.copy(of: parts.configuration)
  }

  /// The delegate; nil once the session is invalid.
  open var delegate: (any URLSessionDelegate)? { delegates.session?.first.delegate }

  /// A label for people.
  open var sessionDescription: String? {
    get { state.withLock { $0.description } }
    set { state.withLock { $0.description = newValue } }
  }

  var delegates: SessionDelegates { hadDelegate ? state.withLock { $0.delegates } : SessionDelegates.none }

  // MARK: Invalidation

  /// Lets running tasks finish, accepts no new ones, then calls `didBecomeInvalidWithError` and releases the delegate.
  ///
  /// A task that was not resumed by then is not waited for: the session releases it, and its handler may never be called. A task that
  /// is resumed afterwards runs while others do, and fails with `URLError.cancelled` once the session is invalid.
  open func finishTasksAndInvalidate() {
    guard !isShared else { return }
    state.withLock { _ in stopAcceptingTasks() }
    taskRegistry.releaseUnstarted()
    invalidateIfIdle()
  }

  /// Cancels all tasks, accepts no new ones, then calls `didBecomeInvalidWithError` and releases the delegate.
  open func invalidateAndCancel() {
    guard !isShared else { return }
    state.withLock { state in
      stopAcceptingTasks()
      // Under the same lock: the last resumed task may end before those that were not resumed are cancelled.
      state.cancellers += 1
    }
    // The newest first: a waiting task must not begin because one that has a connection is cancelled.
    for task in taskRegistry.all.reversed() { task.cancel() }
    taskRegistry.releaseUnstarted()
    state.withLock { $0.cancellers -= 1 }
    invalidateIfIdle()
  }

  /// Called under the lock of `state`.
  private func stopAcceptingTasks() {
    if acceptsTasks { lifetime.store(.finishing, ordering: .releasing) }
  }

  /// Whether a task that is made now may run.
  var acceptsTasks: Bool { lifetime.load(ordering: .acquiring) == .valid }

  /// Retains a task that is resumed for the first time until its end.
  /// - Returns: false when the session is invalid, and the task has to fail.
  func didResume(_ task: URLSessionTask) -> Bool {
    taskRegistry.retain(task)
    return acceptsTasks || state.withLock { _ in lifetime.load(ordering: .relaxed) != .invalid }
  }

  /// Why a task of an invalidated session fails.
  func invalidity(for request: URLRequest) -> URLError {
    URLError(.cancelled, message: "The session was invalidated; make a new one.", url: request.url)
  }

  /// Releases a task that has ended.
  func didEnd(_ task: URLSessionTask) {
    taskRegistry.remove(task)
    invalidateIfIdle()
  }

  private func invalidateIfIdle() {
    if acceptsTasks { return }
    let isLast = state.withLock { state in
      guard lifetime.load(ordering: .relaxed) == .finishing, state.cancellers == 0, taskRegistry.isIdle else {
        return false
      }
      lifetime.store(.invalid, ordering: .releasing)
      return true
    }
    guard isLast else { return }
    let unfinished = components.existing(UnfinishedUploads.self)
    components.invalidate()
    deadlines.stop()
    parts.background?.end()
    guard let unfinished else { return reportInvalid() }
    unfinished.whenSettled(within: Self.shutdownTimeout) { self.reportInvalid() }
  }

  private func reportInvalid() {
    delegateQueue.addOperation {
      self.delegate?.urlSession(self, didBecomeInvalidWithError: nil)
      // Not released under the lock, as an optimized build would what nobody uses: its release may run user code.
      let (released, handlers) = self.state.withLock { state in
        state.isReportedInvalid = true
        return (exchange(&state.delegates, with: SessionDelegates.none), exchange(&state.invalidityHandlers, with: []))
      }
      withExtendedLifetime(released) {}
      for handler in handlers { handler() }
    }
  }

  /// Calls a handler once the session is invalid and its delegate was told so; at once if that is past.
  func whenInvalid(_ handler: @escaping @Sendable () -> Void) {
    let isPast = state.withLock { state in
      if !state.isReportedInvalid { state.invalidityHandlers.append(handler) }
      return state.isReportedInvalid
    }
    if isPast { handler() }
  }

  // MARK: Data

  /// A data task whose body goes to the delegate.
  open func dataTask(with url: URL) -> URLSessionDataTask { data(URLRequest(url: url), owner: .delegate) }

  /// A data task whose body goes to the delegate.
  open func dataTask(with request: URLRequest) -> URLSessionDataTask {
    data(request, owner: .delegate)
  }

  /// A data task with a completion handler, which is called once, on the delegate queue.
  @preconcurrency
  open func dataTask(
    with url: URL, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDataTask {
    data(URLRequest(url: url), owner: .handler { completionHandler($0.data, $1, $2) })
  }

  /// A data task with a completion handler, which is called once, on the delegate queue.
  @preconcurrency
  open func dataTask(
    with request: URLRequest, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDataTask {
    data(request, owner: .handler { completionHandler($0.data, $1, $2) })
  }

  // MARK: Upload

  /// A task that uploads bytes, in place of a body that the request has. The method is the request's; where that was not set, `PUT` for
  /// classes that store by it (`file`, `ftp`, `sftp`), else `GET`.
  open func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
    upload(request, .data(bodyData), owner: .delegate)
  }

  /// A task that uploads bytes. Without any it sends the request's own body, or none.
  @preconcurrency
  open func uploadTask(
    with request: URLRequest, from bodyData: Data?,
    completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionUploadTask {
    upload(
      request, bodyData.map { .data($0) } ?? UploadSource(of: request),
      owner: .handler { completionHandler($0.data, $1, $2) })
  }

  /// A task that uploads a file, which is read as it is sent.
  open func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
    upload(request, .file(fileURL), owner: .delegate)
  }

  /// A task that uploads a file, which is read as it is sent.
  @preconcurrency
  open func uploadTask(
    with request: URLRequest, fromFile fileURL: URL,
    completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionUploadTask {
    upload(request, .file(fileURL), owner: .handler { completionHandler($0.data, $1, $2) })
  }

  /// A task that continues an upload: it asks the server how much it has, and sends the rest. The body is the same; where it was a stream,
  /// the delegate is asked for one (`needNewBodyStreamFrom`).
  /// - Parameter resumeData: of ``URLSessionUploadTask/cancel(byProducingResumeData:)``, or from an error's `userInfo`
  ///   (``NSURLSessionUploadTaskResumeData``). Where it cannot be used, or the file has changed, the task fails and says why.
  open func uploadTask(withResumeData resumeData: Data) -> URLSessionUploadTask {
    upload(resumingWith: resumeData, owner: .delegate)
  }

  /// A task that continues an upload, see ``uploadTask(withResumeData:)``.
  @preconcurrency
  open func uploadTask(
    withResumeData resumeData: Data, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionUploadTask {
    upload(resumingWith: resumeData, owner: .handler { completionHandler($0.data, $1, $2) })
  }

  /// A task that uploads a stream: the request's `httpBodyStream`, else the one that the delegate gives.
  open func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
    upload(request, UploadSource(stream: request.httpBodyStream), owner: .delegate)
  }

  // MARK: Download

  /// A download task for the delegate.
  open func downloadTask(with url: URL) -> URLSessionDownloadTask {
    download(URLRequest(url: url), owner: .delegate)
  }

  /// A download task for the delegate.
  open func downloadTask(with request: URLRequest) -> URLSessionDownloadTask { download(request, owner: .delegate) }

  /// A download task with a completion handler; the file is removed when the handler returns.
  @preconcurrency
  open func downloadTask(
    with url: URL, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDownloadTask {
    download(URLRequest(url: url), owner: .handler { completionHandler($0.file, $1, $2) })
  }

  /// A download task with a completion handler; the file is removed when the handler returns.
  @preconcurrency
  open func downloadTask(
    with request: URLRequest, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDownloadTask {
    download(request, owner: .handler { completionHandler($0.file, $1, $2) })
  }

  /// A task that resumes a download; from the start when the resource has changed since.
  open func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
    download(resumingWith: resumeData, owner: .delegate)
  }

  /// A task that resumes a download; from the start when the resource has changed since.
  @preconcurrency
  open func downloadTask(
    withResumeData resumeData: Data, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDownloadTask {
    download(resumingWith: resumeData, owner: .handler { completionHandler($0.file, $1, $2) })
  }

  // MARK: WebSocket

  /// A WebSocket task; the URL's scheme is `ws` or `wss`.
  open func webSocketTask(with url: URL) -> URLSessionWebSocketTask { webSocket(URLRequest(url: url)) }

  /// A WebSocket task that offers sub-protocols (RFC 6455, section 1.9), the preferred first. It fails with `URLError.badURL` if one is not a
  /// token or is there twice.
  open func webSocketTask(with url: URL, protocols: [String]) -> URLSessionWebSocketTask {
    webSocket(URLRequest(url: url), protocols: protocols)
  }

  /// A WebSocket task whose handshake has the request's fields. Sub-protocols are offered by its `Sec-WebSocket-Protocol`; a body is
  /// not sent.
  open func webSocketTask(with request: URLRequest) -> URLSessionWebSocketTask { webSocket(request) }

  // MARK: Streams

  /// Makes a task for a TCP connection; its ``URLSessionTask/originalRequest`` has the URL `tcp://host:port`.
  /// - Parameters:
  ///   - hostname: a name or an address, IPv6 without brackets.
  ///   - port: from 1 to 65535.
  open func streamTask(withHostName hostname: String, port: Int) -> URLSessionStreamTask {
    stream(toHost: hostname, port: port)
  }

  // MARK: The session's tasks and stores

  /// Calls the handler, on the delegate queue, with the tasks that have not ended; those of a background session as ``allTasks`` has them.
  @preconcurrency
  open func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {
    whenTasksAreKnown { self.delegateQueue.addOperation { completionHandler(self.taskRegistry.all) } }
  }

  /// Calls the handler, on the delegate queue, with the tasks that have not ended, by kind.
  @preconcurrency
  open func getTasksWithCompletionHandler(
    _ completionHandler:
      @escaping @Sendable ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) -> Void
  ) {
    getAllTasks { all in
      completionHandler(
        all.compactMap { $0 is URLSessionUploadTask ? nil : $0 as? URLSessionDataTask },
        all.compactMap { $0 as? URLSessionUploadTask },
        all.compactMap { $0 as? URLSessionDownloadTask })
    }
  }

  /// ``getTasksWithCompletionHandler(_:)`` in the spelling of older code.
  // Disfavoured: a trailing closure matches both.
  @_disfavoredOverload
  open func getTasksWithCompletionHandler(
    completionHandler:
      @escaping @Sendable ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) -> Void
  ) {
    getTasksWithCompletionHandler(completionHandler)
  }

  /// Closes idle connections, so that the next requests use new ones, and writes the cookies and responses that were stored so far;
  /// then calls the handler on the delegate queue.
  ///
  /// Once it is called, the cookies are durable: they survive a crash of the process and of the machine. It is also called where the disk
  /// cannot be written.
  @preconcurrency
  open func flush(completionHandler: @escaping @Sendable () -> Void) {
    components.flush()
    let cache = values.urlCache?.store
    let complete: @Sendable () -> Void = { self.delegateQueue.addOperation { completionHandler() } }
    let flushCache: @Sendable () -> Void = {
      if let cache { cache.flush(completionHandler: complete) } else { complete() }
    }
    guard let storage = values.httpCookieStorage else { return flushCache() }
    storage.flush(completionHandler: flushCache)
  }

  /// Empties the cache and the storages of cookies and credentials, also those that other sessions share, forgets which hosts want secure
  /// connections alone (`Strict-Transport-Security`), and does what ``flush(completionHandler:)`` does.
  @preconcurrency
  open func reset(completionHandler: @escaping @Sendable () -> Void) {
    values.httpCookieStorage?.removeCookies(since: .distantPast)
    parts.policyStorage.removeTransportPolicies()
    values.urlCache?.removeAllCachedResponses()
    guard let credentials = values.urlCredentialStorage else { return flush(completionHandler: completionHandler) }
    credentials.removeAll { self.flush(completionHandler: completionHandler) }
  }
}
