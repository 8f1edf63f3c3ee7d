internal import URLLoadingBase

/// The cache: looked up before an instance is made, filled from its responses, and the answer in its place.
///
/// The decisions are those of `CacheRules`.
extension Load {
  /// What is to be loaded, once a class was chosen.
  struct Opened: Sendable {
    var request: URLRequest
    let protocolClass: URLProtocol.Type
    let rangeOffset: Int64?
    let attempt: Int
    /// Whether the request is another one than the attempt's by now: fields were added for the cache.
    var isChanged = false
  }

  /// The session's cache, if this load uses it.
  private func cache(for opened: borrowing Opened) -> URLCache? {
    guard let cache = session.values.urlCache, plan.usesCache, plan.kind != .listing, !plan.kind.isDuplex,
      opened.rangeOffset == nil,
      !plan.isResumption, plan.kind != .upload || read({ $0.uploading?.machine.isCreating }) != false
    else { return nil }
    // Of the built-in classes, those that reach local resources have nothing to gain.
    if opened.protocolClass != HTTPProtocol.self,
      ProtocolRegistry.builtIns.contains(where: { $0 == opened.protocolClass })
    {
      return nil
    }
    return cache
  }

  /// Asks the cache, then starts an instance or answers from what is stored.
  func openThroughCache(_ opened: consuming Opened) {
    let added = opened.request.urlFacts.isHTTP ? CacheRules.requestFields(for: opened.request.cachePolicy) : []
    let cache = cache(for: opened)
    let isRetrieval = CacheRequest.isRetrieval(opened.request.httpMethod)
    if opened.request.cachePolicy == .returnCacheDataDontLoad, opened.request.urlFacts.isHTTP,
      cache == nil || !isRetrieval
    {
      return refuse(opened)
    }
    let caching = cache == nil ? nil : AttemptCaching(opened.request)
    for field in added where opened.request.addIfAbsent(field) { opened.isChanged = true }
    guard let cache, var caching else { return start(opened) }
    guard isRetrieval else {
      events?.tell(.missedCache(URLSession.EventCacheReason(CacheReason.method)))
      return start(opened, caching)
    }
    if cache.isSubclassed { return askSubclass(cache, opened, caching) }
    let key = caching.key
    caching.found = cache.memory.entries(for: key.text).map { FoundEntry(entry: $0, store: cache.memory) }
    // What memory has may do; the other store is asked where it does not.
    if let store = cache.store, !key.hasPassword, !isAnswered(caching, in: cache) {
      return ask(store, of: cache, opened, caching)
    }
    decide(cache, opened, caching)
  }

  private func ask(
    _ store: any URLCacheStore, of cache: URLCache, _ opened: Opened, _ caching: AttemptCaching
  ) {
    store.entries(for: caching.key.text) { entries in
      var caching = caching
      caching.found.removeAll { $0.store === store }
      for entry in entries {
        guard let index = caching.found.firstIndex(where: { $0.entry.id == entry.id }) else {
          caching.found.append(FoundEntry(entry: entry, store: store))
          continue
        }
        // Another process may have had it validated.
        if caching.found[index].entry.responseDate < entry.responseDate {
          caching.found[index] = FoundEntry(entry: entry, store: store)
        }
      }
      if store.isShared, !caching.hasAskedForClaim, !self.isAnswered(caching, in: cache), caching.mayBeClaimed {
        return self.claim(from: store, of: cache, opened, caching)
      }
      self.decide(cache, opened, caching)
    }
  }

  /// Waits until no other load of the same resource is in progress (request coalescing), and looks it up again.
  private func claim(
    from store: any URLCacheStore, of cache: URLCache, _ opened: Opened, _ caching: AttemptCaching
  ) {
    waiting(true, attempt: opened.attempt)
    store.claim(caching.key.text) { claim in
      var caching = caching
      caching.hasAskedForClaim = true
      caching.claim = claim
      self.waiting(false, attempt: opened.attempt)
      self.ask(store, of: cache, opened, caching)
    }
  }

  private func askSubclass(_ cache: URLCache, _ opened: Opened, _ caching: AttemptCaching) {
    let task = read { $0.task }
    let take: @Sendable (CachedURLResponse?) -> Void = { cached in
      var caching = caching
      if let cached {
        caching.found = [FoundEntry(entry: URLCacheEntry(cached, key: caching.key), store: cache.memory)]
      }
      self.decide(cache, opened, caching)
    }
    guard let task = task as? URLSessionDataTask else { return take(cache.cachedResponse(for: opened.request)) }
    waiting(true, attempt: opened.attempt)
    let single = SingleAnswer()
    cache.getCachedResponse(for: task) { cached in
      guard single.take() else { return }
      self.waiting(false, attempt: opened.attempt)
      take(cached)
    }
  }

  func rules(for found: [FoundEntry]) -> CacheRules {
    CacheRules(kind: found.contains { $0.store.isShared } ? .shared : .private)
  }

  private func isAnswered(_ caching: AttemptCaching, in cache: URLCache) -> Bool {
    guard !caching.found.isEmpty else { return false }
    let decision = rules(for: caching.found).lookup(
      caching.request, among: caching.found.compactMap(\.entry.head), at: Date())
    if case .answer = decision { return true }
    return false
  }

  /// Carries out the decision of the rules about the found entries.
  func decide(_ cache: URLCache, _ opened: consuming Opened, _ caching: consuming AttemptCaching) {
    if caching.found.isEmpty, !caching.mayForbidLoading {
      events?.tell(CacheRules().lookup(caching.request, among: [], at: Date()), about: [])
      return start(opened, caching)
    }
    guard caching.found.allSatisfy({ $0.entry.head != nil }) else { return decideByClass(opened, caching) }
    let decision = rules(for: caching.found).lookup(
      caching.request, among: caching.found.compactMap(\.entry.head), at: Date())
    events?.tell(decision, about: caching.found)
    switch decision {
    case .miss: start(opened, caching)
    case .complete(let index, let completion, _):
      var caching = caching
      caching.completing = caching.found[index]
      for field in completion.fields { caching.set(field, on: &opened.request) }
      start(opened, caching)
    case .answer(let index, _): answer(with: caching.found[index], opened, caching)
    case .answerAndRevalidate(let index, _, _):
      answer(with: caching.found[index], opened, caching, revalidatingIn: cache)
    case .validate(let indices, let conditions, staleIfError: let fallback, _):
      var caching = caching
      caching.validating = indices.map { caching.found[$0] }
      caching.fallback = fallback.map { caching.found[$0] }
      for field in conditions.fields { caching.set(field, on: &opened.request) }
      start(opened, caching)
    case .unavailable: refuse(opened)
    }
  }

  /// Responses of other schemes: the policy decides, or the class.
  private func decideByClass(_ opened: consuming Opened, _ caching: consuming AttemptCaching) {
    guard let found = caching.found.max(by: { $0.entry.responseDate < $1.entry.responseDate }) else {
      return start(opened, caching)
    }
    events?.tell(classDecisionOn: found, policy: caching.request.policy)
    switch caching.request.policy {
    case .returnCacheDataElseLoad, .returnCacheDataDontLoad: answer(with: found, opened, caching)
    case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: start(opened, caching)
    case .useProtocolCachePolicy, .reloadRevalidatingCacheData:
      body(of: found) { [opened, caching] body in
        self.start(opened, caching, stored: body?.wholeData.map { CachedURLResponse(found.entry, $0) })
      }
    }
  }

  func body(of found: FoundEntry, _ take: @escaping @Sendable (URLCacheBody?) -> Void) {
    if let body = found.entry.body { return take(body) }
    found.store.body(of: found.entry, completionHandler: take)
  }

  /// Only the cache may answer, and cannot.
  private func refuse(_ opened: borrowing Opened) {
    guard opened.request.cachePolicy != .returnCacheDataDontLoad, let url = opened.request.url else {
      return abort(
        failure(.resourceUnavailable, "The cache has no response, and the request's policy forbids to load one."))
    }
    // RFC 9111, section 5.2.1.7.
    let response = HTTPURLResponse(
      url: url, statusCode: 504, httpVersion: "HTTP/1.1", fields: [("Content-Length", "0")], isReceived: false)
    deliver(CachedResponseProtocol.Answer(response: response, body: .data(Data()), range: 0..<0), opened)
  }

  /// Revalidates a response that was served stale, for later loads (stale-while-revalidate, RFC 5861, section 3). One load a key.
  func revalidate(_ request: URLRequest, _ key: CacheKey, in cache: URLCache) {
    guard cache.revalidations.withLock({ $0.insert(key.text).inserted }) else { return }
    var request = request
    request.cachePolicy = .reloadRevalidatingCacheData
    let handler: @Sendable (Data?, URLResponse?, (any Error)?) -> Void = { _, _, _ in
      _ = cache.revalidations.withLock { $0.remove(key.text) }
    }
    session.dataTask(with: request, completionHandler: handler).resume()
  }
}
