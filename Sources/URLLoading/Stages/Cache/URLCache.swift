internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

// Safe to share: stored properties are guarded as said below; subclasses answer for theirs.
/// Keeps responses by the requests that they answer, and answers loads with them (RFC 9111).
///
/// A response is found by the method and the whole URL of its request, in the canonical form of the protocol class that
/// loads it, and by the request fields that its `Vary` field names. Responses are kept in memory and on disk; the least
/// recently used ones are evicted first, and storing takes constant time. A load's response that takes more than a
/// twentieth of the memory or disk capacity is not kept there.
///
/// A session calls ``getCachedResponse(for:completionHandler:)`` and ``storeCachedResponse(_:for:)-(_,URLSessionDataTask)`` of a subclass,
/// as Apple's system does. Unless overridden they call the methods without a task.
///
/// Mutable state: `diskLimit` and `revalidations`, each guarded by its lock; the stores guard theirs.
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
  /// The largest response takes this part of a capacity, as on Apple's systems: 5 %.
  static let largestShare = 20

  let memory: MemoryCacheStore
  /// What lasts; nil where nothing does.
  let store: (any URLCacheStore)?
  private let diskLimit: Locked<Int>
  /// Keys that are being revalidated while a stale response was used.
  let revalidations = Locked<Set<String>>([])

  private static let sharedCache = Locked<URLCache?>(nil, rank: .sharedCache)

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

  /// Makes a cache with the capacities of ``shared``, in the program's own directory: `URLCache()`.
  ///
  /// It is not `init()`, which FoundationNetworking's class does not have: a subclass may declare that without `override`.
  public init(_ nothing: Void = ()) {
    memory = MemoryCacheStore(capacity: Self.defaultMemoryCapacity)
    store = Self.diskStore(capacity: Self.defaultDiskCapacity, directory: nil)
    diskLimit = Locked(Self.defaultDiskCapacity)
    super.init()
  }

  /// Makes a cache.
  /// - Parameters:
  ///   - memoryCapacity: bytes that the responses in memory may take.
  ///   - diskCapacity: bytes that the responses on disk may take; 0 for none.
  ///   - path: the directory for the disk, relative to that of the program's caches; nil for that itself.
  public init(memoryCapacity: Int, diskCapacity: Int, diskPath path: String?) {
    memory = MemoryCacheStore(capacity: memoryCapacity)
    let base = ProgramDirectories.current.own(.cache).map { URL(fileURLWithPath: $0, isDirectory: true) }
    let directory = path.flatMap { $0.isEmpty ? nil : URL(fileURLWithPath: $0, isDirectory: true, relativeTo: base) }
    store = Self.diskStore(capacity: diskCapacity, directory: directory)
    diskLimit = Locked(max(0, diskCapacity))
    super.init()
  }

  /// Makes a cache.
  /// - Parameters:
  ///   - memoryCapacity: bytes that the responses in memory may take.
  ///   - diskCapacity: bytes that the responses on disk may take; 0 for none.
  ///   - directory: the directory for the disk; nil for the program's own. Caches with one directory, in other processes too, share what
  ///     they have there.
  public init(memoryCapacity: Int, diskCapacity: Int, directory: URL? = nil) {
    memory = MemoryCacheStore(capacity: memoryCapacity)
    store = Self.diskStore(capacity: diskCapacity, directory: directory)
    diskLimit = Locked(max(0, diskCapacity))
    super.init()
  }

  /// Makes a cache with a custom persistent store. Not in Apple's API.
  /// - Parameters:
  ///   - store: keeps the responses, and may share them with other processes.
  ///   - memoryCapacity: bytes that responses may take in this process's memory as well.
  public init(store: any URLCacheStore, memoryCapacity: Int = 4_000_000) {
    memory = MemoryCacheStore(capacity: memoryCapacity)
    self.store = store
    diskLimit = Locked(store.capacity)
    super.init()
  }

  private static func diskStore(capacity: Int, directory: URL?) -> (any URLCacheStore)? {
    guard capacity > 0 else { return nil }
    if let directory { return DiskCacheStore.store(in: directory.path, capacity: capacity) }
    guard let own = ProgramDirectories.current.own(.cache) else {
      StorageWarning.write("there is no home directory: cached responses stay in memory")
      return nil
    }
    return DiskCacheStore.store(in: "\(own)/cache", capacity: capacity)
  }

  /// Whether no load can find a response here: known without a wait. Once a second a disk is looked at, for what other processes store.
  final var isKnownToBeEmpty: Bool {
    guard memory.isEmpty else { return false }
    guard let store else { return true }
    return (store as? DiskCacheStore)?.isKnownToBeEmpty ?? false
  }

  // MARK: Room

  /// Bytes that the responses in memory may take. Lowering it evicts the least recently used ones.
  open var memoryCapacity: Int {
    get { memory.capacity }
    set { memory.capacity = newValue }
  }

  /// Bytes that the responses on disk may take. Lowering it evicts the least recently used ones. A cache that was made
  /// with 0 stays without a disk. Of caches that share a directory, the one whose capacity was set last decides.
  open var diskCapacity: Int {
    get { diskLimit.withLock { $0 } }
    set {
      diskLimit.withLock { $0 = max(0, newValue) }
      store?.capacity = newValue
    }
  }

  /// Bytes that the responses in memory take: bodies, header fields, URLs, and 512 for each.
  open var currentMemoryUsage: Int { memory.usage }

  /// Bytes that the responses on disk take, counted in the same way. Asks the disk.
  open var currentDiskUsage: Int { store?.usage ?? 0 }

  // MARK: Requests

  /// The response that is kept for a request, whatever its age; nil if there is none. May wait for the disk.
  open func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
    cachedResponse(for: request, CacheKey(request))
  }

  /// Keeps a response for a request, in place of the one before. One with the policy ``StoragePolicy/notAllowed`` and one that is
  /// larger than the capacities are not kept.
  open func storeCachedResponse(_ cachedResponse: CachedURLResponse, for request: URLRequest) {
    keep(cachedResponse, for: request, CacheKey(request))
  }

  /// Removes the responses that are kept for a request.
  open func removeCachedResponse(for request: URLRequest) {
    if let key = CacheKey(request) { removeAll(for: key) }
  }

  /// Removes all responses.
  open func removeAllCachedResponses() { removeAll(since: nil) }

  /// Removes the responses that were stored after a date.
  open func removeCachedResponses(since date: Date) { removeAll(since: date) }

  // MARK: Tasks

  /// Keeps a response for a task's current request.
  open func storeCachedResponse(_ cachedResponse: CachedURLResponse, for dataTask: URLSessionDataTask) {
    guard let request = dataTask.currentRequest else { return }
    guard !isSubclassed else { return storeCachedResponse(cachedResponse, for: request) }
    keep(cachedResponse, for: request, dataTask.cacheKey)
  }

  /// Gives the response that is kept for a task's current request, or nil.
  open func getCachedResponse(
    for dataTask: URLSessionDataTask, completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    guard let request = dataTask.currentRequest else { return completionHandler(nil) }
    guard !isSubclassed else { return completionHandler(cachedResponse(for: request)) }
    completionHandler(cachedResponse(for: request, dataTask.cacheKey))
  }

  /// Removes the responses that are kept for a task's current request.
  open func removeCachedResponse(for dataTask: URLSessionDataTask) {
    guard let request = dataTask.currentRequest else { return }
    guard !isSubclassed else { return removeCachedResponse(for: request) }
    if let key = dataTask.cacheKey { removeAll(for: key) }
  }

  // MARK: For loads

  /// Whether loads go by the methods that a program may have overridden.
  var isSubclassed: Bool { type(of: self) != URLCache.self }

  /// Both tiers, the faster first.
  var stores: [any URLCacheStore] { [memory] + (store.map { [$0] } ?? []) }

  /// The tiers that may hear of a key. One with a password concerns memory alone: a store may show its keys to others, and a digest of a
  /// password can be guessed.
  func stores(for key: CacheKey) -> [any URLCacheStore] { key.hasPassword ? [memory] : stores }

  func removeAll(for key: CacheKey) {
    for store in stores(for: key) { store.removeAll(for: key.text) }
  }

  private func removeAll(since date: Date?) {
    for store in stores { store.removeAll(since: date) }
  }

  // MARK: By hand

  private func cachedResponse(for request: URLRequest, _ key: CacheKey?) -> CachedURLResponse? {
    guard let key, let asked = CacheRequest(request) else { return nil }
    for store in stores(for: key) {
      let found = Self.wait(for: store) { store.entries(for: key.text, completionHandler: $0) } ?? []
      let fitting = found.filter { $0.head?.matches(asked) ?? true }
      guard let entry = fitting.max(by: { $0.responseDate < $1.responseDate }) else { continue }
      let body = entry.body ?? Self.wait(for: store) { store.body(of: entry, completionHandler: $0) } ?? nil
      guard body?.length == entry.bodyLength else { continue }
      if let cached = body?.wholeData.map({ CachedURLResponse(entry, $0) }) { return cached }
    }
    return nil
  }

  private func keep(_ cached: CachedURLResponse, for request: URLRequest, _ key: CacheKey?) {
    if let key, let asked = CacheRequest(request) { keep(cached, key, answering: asked) }
  }

  /// Keeps a response, in place of those that answer the same requests. Waits for the stores.
  /// - Parameter isOfLoad: whether it may take a twentieth of each capacity at most.
  func keep(_ cached: CachedURLResponse, _ key: CacheKey, answering asked: CacheRequest, ofLoad isOfLoad: Bool = false)
  {
    guard cached.storagePolicy != .notAllowed else { return }
    let now = Date()
    var entry = URLCacheEntry(
      key: key.text, response: cached.response, bodyLength: Int64(cached.data.count),
      staysInMemory: key.hasPassword || cached.storagePolicy == .allowedInMemoryOnly,
      requestDate: cached.origin?.requestDate ?? now, responseDate: cached.origin?.responseDate ?? now,
      userInfo: cached.archivedUserInfo)
    if let http = cached.response as? HTTPURLResponse {
      entry.selectingFields =
        cached.origin?.selectingFields
        ?? CacheRules().selectingFields(of: http.fields, CacheDirectives(http.fields), asked) ?? []
    }
    for store in stores(for: key) {
      let own = store.isShared ? entry.shareable(answering: asked) : entry
      let replaced = Self.wait(for: store) { store.entries(for: key.text, completionHandler: $0) } ?? []
      store.remove(replaced.filter { $0.selectingFields == (own ?? entry).selectingFields })
      guard let own, !own.staysInMemory || store === memory,
        !isOfLoad || cached.data.count <= store.capacity / Self.largestShare,
        let writer = store.writer(for: own, expectedLength: own.bodyLength)
      else { continue }
      cached.data.withUnsafeBytes { writer.write($0) }
      writer.finish(own, replacing: [])
    }
  }

  /// Waits for a store's answer. Nil on the loop's thread for stores that may need that thread themselves.
  private static func wait<Answer: Sendable>(
    for store: any URLCacheStore, _ ask: (@escaping @Sendable (Answer) -> Void) -> Void
  ) -> Answer? {
    guard store is MemoryCacheStore || store is DiskCacheStore || !URLSession.isOnLoadingThread else { return nil }
    let answer = WaitedAnswer<Answer>()
    ask { answer.give($0) }
    return answer.wait()
  }
}
