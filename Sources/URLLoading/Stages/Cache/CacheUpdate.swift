internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

/// What the response of one attempt does to its cache: it is stored, and confirms, completes or removes what is there, in both tiers or in a
/// cache of the program's own.
struct CacheUpdate: Sendable {
  let cache: URLCache
  let caching: AttemptCaching
  /// The attempt's request, by which a cache of the program's own has its responses.
  let request: URLRequest?
  /// Whether a credential is sent that the request does not show.
  let isAuthorized: Bool

  /// The request for the rules of a shared cache: with the `Authorization` that a credential of the session adds.
  private var sharedRequest: CacheRequest { caching.request.authorized(isAuthorized) }

  /// The request for the rules of the cache that a store belongs to.
  private func request(in store: any URLCacheStore) -> CacheRequest {
    store.isShared ? sharedRequest : caching.request
  }

  // MARK: What is stored already

  /// The entry that a 304 confirms, with the updated fields; nil if it selects none (RFC 9111, section 4.3.4).
  func confirm(by answer: CacheResponse) -> FoundEntry? {
    let heads = caching.validating.compactMap(\.entry.head)
    var confirmed: FoundEntry?
    for index in CacheRules().selected(by: answer, among: heads) {
      var found = caching.validating[index]
      let rules = CacheRules(for: [found])
      let head = rules.freshened(
        heads[index], by: answer, requestDate: caching.requestDate, responseDate: Date())
      found.entry.freshen(by: head)
      if rules.mayKeep(head, answering: request(in: found.store)) {
        replaceHead(of: found)
      } else {
        remove([found])
      }
      if confirmed == nil { confirmed = found }
    }
    caching.claim?.end(.stored)
    return confirmed
  }

  /// A response to HEAD says whether what is stored is still right (RFC 9111, section 4.3.5).
  func freshen(byHead answer: CacheResponse) {
    for found in caching.found {
      guard let head = found.entry.head else { continue }
      let effects = CacheRules(for: [found]).freshenedByHead(
        [head], by: answer, to: request(in: found.store), requestDate: caching.requestDate, responseDate: Date())
      for effect in effects {
        switch effect {
        case .updated(_, let head):
          var found = found
          found.entry.freshen(by: head)
          replaceHead(of: found)
        case .stale: remove([found])
        }
      }
    }
  }

  /// What a part and what is stored make together, and what collects the part; nil where they do not fit, or must not be kept.
  func completion(of found: FoundEntry, with answer: CacheResponse) -> (CachedPart, CacheRecorder)? {
    let rules = CacheRules(for: [found])
    guard answer.statusCode == 206, let head = found.entry.head, let stored = head.part,
      let coming = answer.contentRange,
      let combined = rules.combined(head, with: answer, requestDate: caching.requestDate, responseDate: Date()),
      rules.mayKeep(combined, answering: request(in: found.store)),
      combined.bodyLength <= Int64(found.store.capacity / URLCache.largestShare)
    else { return nil }
    let entry = found.entry.combined(combined)
    return (
      CachedPart(found: found, stored: stored, coming: coming, combined: entry),
      CacheRecorder(entry, targets: [], replacing: [], collecting: Int(coming.length))
    )
  }

  /// An unsafe request invalidates the stored responses of its URL, and of those that its answer names (RFC 9111, section 4.4).
  func invalidate(by answer: CacheResponse) {
    for url in CacheRules().invalidated(by: answer, to: caching.request) {
      if cache.isSubclassed {
        BlockingPool.protocols.run { [cache] in cache.removeCachedResponse(for: URLRequest(url: url)) }
      } else {
        cache.removeAll(for: CacheKey(get: url))
      }
    }
  }

  /// The found entries that a newer response replaces.
  func superseded(by answer: CacheResponse) -> [FoundEntry] {
    let found = caching.found.filter { $0.entry.head != nil }
    return CacheRules().superseded(by: answer, to: caching.request, among: found.compactMap(\.entry.head)).map {
      found[$0]
    }
  }

  /// Removes entries. Both tiers may have one, by one identifier.
  func remove(_ found: [FoundEntry]) {
    guard !found.isEmpty else { return }
    if cache.isSubclassed { return found.forEach { tellSubclass(nil, for: $0) } }
    let entries = found.map(\.entry)
    cache.memory.remove(entries)
    cache.store?.remove(entries.filter { !$0.staysInMemory })
  }

  /// A shared store has other fields than the program's own: its entry stays as it is, unless it is the one that was validated.
  private func replaceHead(of found: FoundEntry) {
    if cache.isSubclassed { return tellSubclass(found.entry, for: found) }
    let stores: [any URLCacheStore] = found.entry.staysInMemory ? [cache.memory] : cache.stores
    for store in stores where !store.isShared || store === found.store { store.replace(found.entry) }
  }

  /// A cache of the program's own has its responses by requests. Its methods may wait for something.
  private func tellSubclass(_ entry: URLCacheEntry?, for found: FoundEntry) {
    guard let request else { return }
    let body: Data? = if case .data(let data) = found.entry.body { data } else { nil }
    BlockingPool.protocols.run { [cache] in
      guard let entry, let body else { return cache.removeCachedResponse(for: request) }
      cache.storeCachedResponse(CachedURLResponse(entry, body), for: request)
    }
  }

  // MARK: Storing

  /// What stores a response while it comes.
  /// - Parameters:
  ///   - selecting: the values of the fields that `Vary` names.
  ///   - replaced: what goes when it is stored.
  ///   - isAsked: whether somebody is shown the whole of it first: a delegate, or a cache of the program's own.
  func recorder(
    of response: URLResponse, _ policy: URLCache.StoragePolicy, selecting: [SelectingField] = [],
    replacing replaced: [FoundEntry], isAsked: Bool
  ) -> CacheRecorder {
    let entry = URLCacheEntry(
      key: caching.key.text, response: response,
      staysInMemory: policy == .allowedInMemoryOnly || caching.key.hasPassword,
      requestDate: caching.requestDate, responseDate: Date(), selectingFields: selecting)
    let shared = cache.store?.isShared == true ? entry.shareable(answering: sharedRequest) : nil
    let stores = isAsked ? [] : cache.stores(for: caching.key)
    let targets = stores.map { target(in: $0, for: $0.isShared ? shared : entry) }
    if let claim = caching.claim,
      shared == nil || !isAsked && !targets.contains(where: { $0.store.isShared && $0.writer != nil })
    {
      claim.end(.notStored)
    }
    let limit = max(cache.memoryCapacity, cache.diskCapacity) / URLCache.largestShare
    return CacheRecorder(entry, targets: targets, replacing: replaced, collecting: isAsked ? limit : 0)
  }

  /// What a store gets of a response.
  private func target(in store: any URLCacheStore, for entry: URLCacheEntry?) -> CacheRecorder.Target {
    let limit = store.capacity / URLCache.largestShare
    guard let entry, !entry.staysInMemory || store === cache.memory,
      entry.response.expectedContentLength <= limit
    else { return CacheRecorder.Target(store: store, entry: nil, writer: nil, limit: limit) }
    let writer = store.writer(for: entry, expectedLength: entry.response.expectedContentLength)
    return CacheRecorder.Target(store: store, entry: entry, writer: writer, limit: limit)
  }
}
