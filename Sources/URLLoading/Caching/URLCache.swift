internal import URLLoadingBase

// Safe to share: stored properties are guarded as said below; subclasses answer for theirs.
/// Keeps responses by the requests that they answer.
///
/// A response is found by the method and the whole URL of its request, in the canonical form of the protocol class that loads it. In
/// memory the responses that were not used for longest go when others need their room; to store one takes the same time however many
/// there are.
///
/// Loads do not use the cache yet, and nothing is kept on disk: it keeps what programs store, in memory.
///
/// Mutable state: `diskLimit`, guarded by its lock; the memory tier guards its own.
open class URLCache: NSObject, @unchecked Sendable {
  /// Where a response may be kept.
  @frozen public enum StoragePolicy: UInt, Sendable {
    /// In memory and on disk.
    case allowed = 0
    /// In memory only.
    case allowedInMemoryOnly = 1
    /// Nowhere.
    case notAllowed = 2
  }

  /// In bytes: 4 MB, as on Apple's systems.
  static let defaultMemoryCapacity = 4_000_000
  /// In bytes: 20 MB, as on Apple's systems.
  static let defaultDiskCapacity = 20_000_000

  private let memory: MemoryTier
  private let diskLimit: Locked<Int>

  private static let sharedCache = Locked<URLCache?>(nil)

  /// The cache of the default configuration: 4 MB in memory and 20 MB on disk, unless the program sets another one. Configurations
  /// that were made before keep theirs.
  open class var shared: URLCache {
    get {
      sharedCache.withLock { shared in
        let cache = shared ?? URLCache()
        shared = cache
        return cache
      }
    }
    set {
      let old = sharedCache.withLock { shared in
        defer { shared = newValue }
        return shared
      }
      withExtendedLifetime(old) {}
    }
  }

  /// Makes a cache with the capacities of ``shared``.
  public override init() {
    memory = MemoryTier(capacity: Self.defaultMemoryCapacity)
    diskLimit = Locked(Self.defaultDiskCapacity)
    super.init()
  }

  /// Makes a cache.
  /// - Parameters:
  ///   - memoryCapacity: bytes that the responses in memory may take.
  ///   - diskCapacity: bytes that the responses on disk may take. Nothing is kept on disk yet.
  ///   - path: the directory for the disk, relative to that of the user's caches. Nothing is kept there yet.
  public init(memoryCapacity: Int, diskCapacity: Int, diskPath path: String?) {
    memory = MemoryTier(capacity: memoryCapacity)
    diskLimit = Locked(max(0, diskCapacity))
    super.init()
  }

  /// Makes a cache.
  /// - Parameters:
  ///   - memoryCapacity: bytes that the responses in memory may take.
  ///   - diskCapacity: bytes that the responses on disk may take. Nothing is kept on disk yet.
  ///   - directory: the directory for the disk. Nothing is kept there yet.
  public init(memoryCapacity: Int, diskCapacity: Int, directory: URL? = nil) {
    memory = MemoryTier(capacity: memoryCapacity)
    diskLimit = Locked(max(0, diskCapacity))
    super.init()
  }

  // MARK: Room

  /// Bytes that the responses in memory may take. Setting less removes those that were not used for longest.
  open var memoryCapacity: Int {
    get { memory.capacity }
    set { memory.capacity = newValue }
  }

  /// Bytes that the responses on disk may take. Nothing is kept on disk yet.
  open var diskCapacity: Int {
    get { diskLimit.withLock { $0 } }
    set { diskLimit.withLock { $0 = max(0, newValue) } }
  }

  /// Bytes that the responses in memory take: bodies, header fields, URLs, and 512 for each.
  open var currentMemoryUsage: Int { memory.usage }

  /// Bytes that the responses on disk take: 0, since nothing is kept there yet.
  open var currentDiskUsage: Int { 0 }

  // MARK: Requests

  /// The response that is kept for a request; nil if there is none.
  open func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
    CacheKey(request).flatMap { memory.response(for: $0) }
  }

  /// Keeps a response for a request, in place of the one before. One with the policy ``StoragePolicy/notAllowed`` and one that is
  /// larger than the memory capacity are not kept.
  open func storeCachedResponse(_ cachedResponse: CachedURLResponse, for request: URLRequest) {
    store(cachedResponse, for: CacheKey(request))
  }

  /// Removes the response that is kept for a request.
  open func removeCachedResponse(for request: URLRequest) {
    if let key = CacheKey(request) { memory.remove(key) }
  }

  /// Removes all responses.
  open func removeAllCachedResponses() { memory.removeAll() }

  /// Removes the responses that were stored after a date.
  open func removeCachedResponses(since date: Date) { memory.removeAll(since: date) }

  // MARK: Tasks

  /// Keeps a response for a task's current request.
  open func storeCachedResponse(_ cachedResponse: CachedURLResponse, for dataTask: URLSessionDataTask) {
    store(cachedResponse, for: CacheKey(dataTask))
  }

  /// Gives the response that is kept for a task's current request, or nil. The handler is called before this returns.
  open func getCachedResponse(
    for dataTask: URLSessionDataTask, completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    completionHandler(CacheKey(dataTask).flatMap { memory.response(for: $0) })
  }

  /// Removes the response that is kept for a task's current request.
  open func removeCachedResponse(for dataTask: URLSessionDataTask) {
    if let key = CacheKey(dataTask) { memory.remove(key) }
  }

  private func store(_ response: CachedURLResponse, for key: CacheKey?) {
    guard let key, response.storagePolicy != .notAllowed else { return }
    memory.store(response, for: key, at: Date())
  }
}
