internal import URLLoadingBase

/// A class that loads URLs: it says which requests it handles, and each instance loads one.
///
/// A session asks the classes of its configuration, then those given to ``registerClass(_:)`` (the newest first),
/// then the built-in ones; the first whose ``canInit(with:)-(URLSessionTask)`` says yes loads the request. The built-in classes
/// (`http`, `https`, `ftp`, `ftps`, `file`, `data`) use what is public here and nothing else.
///
/// A subclass overrides ``canInit(with:)-(URLRequest)``, ``startLoading()`` and ``stopLoading()``, and reports through
/// ``client``: any redirects or challenges, one response, data, then finish; or a failure at any time. Client calls may
/// come from any thread, one after another. `stopLoading()` is called exactly once for every instance that was started,
/// after it finished, failed or was cancelled; what it sends from then on is ignored.
///
/// What a subclass can do beyond sending bytes is declared in ``capabilities``; sessions offer resumable downloads,
/// redirects from the network and so on for the classes that declare them.
///
/// It is not `Sendable`, as on Apple's systems, so that a subclass need not say anything about that. One whose closures and tasks use
/// `self` declares `@unchecked Sendable` and guards what it stores.
///
/// Mutable state: `link`, guarded by its lock. A subclass guards its own.
open class URLProtocol: NSObject {
  private struct Link {
    var client: (any URLProtocolClient)?
    /// The same with our additions: casts are slow.
    var sessionClient: (any URLProtocolSessionClient)?
    /// Strong: the load releases its instance when it ends.
    var task: URLSessionTask?

    mutating func setClient(_ new: (any URLProtocolClient)?) {
      client = new
      sessionClient = new as? any URLProtocolSessionClient
    }
  }

  private let link: Locked<Link>

  /// The request to load: in canonical form, with the session's additional headers, its cookies and the upload body. That is in
  /// `httpBodyStream`, not read yet, and in `httpBody` as well where it is in memory.
  open var request: URLRequest { loadedRequest }

  /// A cached response that may be used or revalidated; nil where there is none.
  open var cachedResponse: CachedURLResponse? { storedResponse }

  private let loadedRequest: URLRequest
  private let storedResponse: CachedURLResponse?

  /// Makes an instance that will load `request` and report to `client`.
  public required init(request: URLRequest, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?) {
    loadedRequest = request
    storedResponse = cachedResponse
    var link = Link()
    link.setClient(client)
    self.link = Locked(link)
    super.init()
  }

  /// Makes an instance for a task. Sessions call this one; unless overridden it calls
  /// ``init(request:cachedResponse:client:)`` with the task's current request.
  public required convenience init(
    task: URLSessionTask, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?
  ) {
    self.init(request: task.currentRequest ?? .placeholder, cachedResponse: cachedResponse, client: client)
    self.task = task
  }

  /// Where the instance reports what it loads. The session's own client also conforms to ``URLProtocolSessionClient``, which
  /// has calls beyond Apple's: `client as? any URLProtocolSessionClient`.
  open var client: (any URLProtocolClient)? {
    get { link.withLock { $0.client } }
    set {
      link.withLock { $0.setClient(newValue) }
    }
  }

  /// The client with our additions; nil for a client without them. Not public: subclasses use such names.
  final var sessionClient: (any URLProtocolSessionClient)? { link.withLock { $0.sessionClient } }

  /// The task that is loaded.
  open var task: URLSessionTask? {
    get { link.withLock { $0.task } }
    set { link.withLock { $0.task = newValue } }
  }

  // MARK: Choosing a class

  /// Whether this class loads such a request. Without side effects: called any number of times.
  open class func canInit(with request: URLRequest) -> Bool { false }

  /// Whether this class loads a task: what sessions call. Unless overridden, whether it loads the current request.
  open class func canInit(with task: URLSessionTask) -> Bool {
    guard let request = task.currentRequest else { return false }
    return canInit(with: request)
  }

  /// The canonical form of a request, which is then loaded, and is the key of caches. Unless overridden, the request itself.
  open class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  /// Whether two requests may share a cached response. Unless overridden, whether they are equal. Sessions do not ask: requests share what
  /// is cached whose canonical forms have one URL and method.
  open class func requestIsCacheEquivalent(_ a: URLRequest, to b: URLRequest) -> Bool { a == b }

  /// What instances of this class can do beyond sending bytes, the class's schemes, and the methods that it carries out. Unless overridden,
  /// nothing: no scheme is named in errors, and instances get requests of every method. An override replaces all that the superclass declares,
  /// unless it unites its own with `super.capabilities`.
  open class var capabilities: Capabilities { [] }

  // MARK: Loading

  /// Starts to load. Runs on a thread that it may block, unless the class declares ``Capabilities/nonblocking``.
  open func startLoading() {}

  /// Stops: called exactly once after ``startLoading()``, when the load ended for whatever reason.
  open func stopLoading() {}

  // MARK: Registration

  /// Makes a class available to every session from its next task on. The newest is asked first.
  /// - Returns: false when `protocolClass` is no subclass of `URLProtocol`.
  @discardableResult
  open class func registerClass(_ protocolClass: AnyClass) -> Bool {
    ProtocolRegistry.shared.register(protocolClass)
  }

  /// Undoes ``registerClass(_:)``.
  open class func unregisterClass(_ protocolClass: AnyClass) {
    ProtocolRegistry.shared.unregister(protocolClass)
  }

  // MARK: Properties of requests

  /// The value that ``setProperty(_:forKey:in:)`` stored with a request.
  open class func property(forKey key: String, in request: URLRequest) -> Any? {
    request.protocolProperty(forKey: key)
  }

  /// Stores a value with a request, for protocol classes to find; it stays with copies and conversions of the request.
  open class func setProperty(_ value: Any, forKey key: String, in request: NSMutableURLRequest) {
    request.request.setProtocolProperty(value, forKey: key)
  }

  /// Removes what ``setProperty(_:forKey:in:)`` stored.
  open class func removeProperty(forKey key: String, in request: NSMutableURLRequest) {
    request.request.setProtocolProperty(nil, forKey: key)
  }
}
