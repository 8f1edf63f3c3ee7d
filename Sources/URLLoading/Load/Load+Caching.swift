internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

/// The cache: looked up before an instance is made, filled from its responses, and the answer in its place.
///
/// The decisions are those of `CacheRules`.
extension Load {
  /// The session's cache, if this load uses it.
  private func cache(for prepared: borrowing PreparedAttempt) -> URLCache? {
    guard let cache = session.values.urlCache, plan.mayUseCache, prepared.rangeOffset == nil, !asksForRest,
      plan.kind != .upload || read({ $0.uploads.isBeginning })
    else { return nil }
    // Of the built-in classes, those that reach local resources have nothing to gain.
    if prepared.protocolClass != HTTPProtocol.self, prepared.protocolClass != UnixSocketProtocol.self,
      ProtocolRegistry.builtIns.contains(where: { $0 == prepared.protocolClass })
    {
      return nil
    }
    return cache
  }

  /// Looks a request up: the attempt begins with what is stored, or with an instance.
  /// - Returns: nil where the load has ended, or the answer comes later: the attempt begins by itself then.
  func lookUp(_ prepared: consuming PreparedAttempt) -> AttemptStart? {
    let added = prepared.request.urlFacts.speaksHTTP ? CacheRules.requestFields(for: prepared.request.cachePolicy) : []
    let cache = cache(for: prepared)
    let isRetrieval = CacheRequest.isRetrieval(prepared.request.httpMethod)
    if prepared.request.cachePolicy == .returnCacheDataDontLoad, prepared.request.urlFacts.speaksHTTP,
      cache == nil || !isRetrieval
    {
      return refuse(prepared)
    }
    let caching = cache == nil ? nil : AttemptCaching(prepared.request)
    for field in added where prepared.request.addIfAbsent(field) { prepared.isChanged = true }
    guard let cache, var caching else { return attemptStart(prepared) }
    guard isRetrieval else {
      events?.report(.missedCache(URLSession.EventCacheReason(CacheReason.method)))
      return attemptStart(prepared, caching)
    }
    if cache.isSubclassed { return askSubclass(cache, prepared, caching) }
    let key = caching.key
    let found = cache.memory.entries(for: key.text).map { FoundEntry(entry: $0, store: cache.memory) }
    if !found.isEmpty { caching.update { $0.found = found } }
    // What memory has may do; the other store is asked where it does not.
    if let store = cache.store, !key.hasPassword, !caching.isAnswered {
      return ask(store, of: cache, prepared, caching)
    }
    return decide(cache, prepared, caching)
  }

  private func ask(
    _ store: any URLCacheStore, of cache: URLCache, _ prepared: PreparedAttempt, _ caching: AttemptCaching
  ) -> AttemptStart? {
    decide(awaiting: { store.entries(for: caching.key.text, completionHandler: $0) }) { entries in
      var caching = caching
      caching.add(entries, of: store)
      if store.isShared, !caching.hasAskedForClaim, !caching.isAnswered, caching.mayBeClaimed {
        return self.claim(from: store, of: cache, prepared, caching)
      }
      return self.decide(cache, prepared, caching)
    }
  }

  /// Waits until no other load of the same resource is in progress (request coalescing), and looks it up again.
  private func claim(
    from store: any URLCacheStore, of cache: URLCache, _ prepared: PreparedAttempt, _ caching: AttemptCaching
  ) -> AttemptStart? {
    decide(
      awaiting: { store.claim(caching.key.text, completionHandler: $0) }, stopping: prepared.attempt
    ) { claim in
      var caching = caching
      caching.update {
        $0.hasAskedForClaim = true
        $0.claim = claim
      }
      return self.ask(store, of: cache, prepared, caching)
    }
  }

  private func askSubclass(_ cache: URLCache, _ prepared: PreparedAttempt, _ caching: AttemptCaching) -> AttemptStart? {
    let task = read { $0.task } as? URLSessionDataTask
    return decide(
      awaiting: { (answer: @escaping @Sendable (CachedURLResponse?) -> Void) in
        guard let task else { return answer(cache.cachedResponse(for: prepared.request)) }
        cache.getCachedResponse(for: task, completionHandler: answer)
      }, stopping: task == nil ? nil : prepared.attempt,
      then: { cached in
        var caching = caching
        if let cached {
          let entry = URLCacheEntry(cached, key: caching.key)
          caching.update { $0.found = [FoundEntry(entry: entry, store: cache.memory)] }
        }
        return self.decide(cache, prepared, caching)
      })
  }

  /// Carries out the decision of the rules about the found entries.
  func decide(_ cache: URLCache, _ prepared: consuming PreparedAttempt, _ caching: consuming AttemptCaching)
    -> AttemptStart?
  {
    if caching.found.isEmpty, !caching.mayForbidLoading {
      events?.report(CacheRules().lookup(caching.request, among: [], at: Date()), about: [])
      return attemptStart(prepared, caching)
    }
    guard caching.found.allSatisfy({ $0.entry.head != nil }) else { return decideByClass(prepared, caching) }
    let decision = caching.lookup(at: Date())
    events?.report(decision, about: caching.found)
    switch decision {
    case .miss: return attemptStart(prepared, caching)
    case .complete(let index, let completion, _):
      var caching = caching
      caching.update { $0.completing = $0.found[index] }
      for field in completion.fields { caching.set(field, on: &prepared.request) }
      return attemptStart(prepared, caching)
    case .answer(let index, _): return answer(with: caching.found[index], prepared, caching)
    case .answerAndRevalidate(let index, _, _):
      return answer(with: caching.found[index], prepared, caching, revalidatingIn: cache)
    case .validate(let indices, let conditions, staleIfError: let fallback, _):
      var caching = caching
      caching.update { findings in
        findings.validating = indices.map { findings.found[$0] }
        findings.fallback = fallback.map { findings.found[$0] }
      }
      for field in conditions.fields { caching.set(field, on: &prepared.request) }
      return attemptStart(prepared, caching)
    case .unavailable: return refuse(prepared)
    }
  }

  /// Responses of other schemes: the policy decides, or the class.
  private func decideByClass(_ prepared: consuming PreparedAttempt, _ caching: consuming AttemptCaching)
    -> AttemptStart?
  {
    guard let found = caching.found.max(by: { $0.entry.responseDate < $1.entry.responseDate }) else {
      return attemptStart(prepared, caching)
    }
    events?.report(classDecisionOn: found, policy: caching.request.policy)
    switch caching.request.policy {
    case .returnCacheDataElseLoad, .returnCacheDataDontLoad: return answer(with: found, prepared, caching)
    case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: return attemptStart(prepared, caching)
    case .useProtocolCachePolicy, .reloadRevalidatingCacheData:
      return decide(awaiting: { body(of: found, $0) }) { [prepared, caching] body in
        self.attemptStart(prepared, caching, stored: body?.wholeData.map { CachedURLResponse(found.entry, $0) })
      }
    }
  }

  func body(of found: FoundEntry, _ take: @escaping @Sendable (URLCacheBody?) -> Void) {
    if let body = found.entry.body { return take(body) }
    found.store.body(of: found.entry, completionHandler: take)
  }

  /// Only the cache may answer, and cannot.
  private func refuse(_ prepared: consuming PreparedAttempt) -> AttemptStart? {
    guard prepared.request.cachePolicy != .returnCacheDataDontLoad, let url = prepared.request.url else {
      abort(failure(.resourceUnavailable, "The cache has no response, and the request's policy forbids to load one."))
      return nil
    }
    // RFC 9111, section 5.2.1.7.
    let response = HTTPURLResponse(
      url: url, statusCode: 504, httpVersion: "HTTP/1.1", fields: [("Content-Length", "0")], isReceived: false)
    return attemptStart(prepared, sending: .init(response: response, body: .data(Data()), range: 0..<0))
  }

  /// Revalidates a response that was served stale, for later loads (stale-while-revalidate, RFC 5861, section 3). One load a key.
  func revalidate(_ request: URLRequest, _ key: CacheKey, in cache: URLCache) {
    guard cache.revalidations.withLock({ $0.insert(key.text).inserted }) else { return }
    var request = request
    request.cachePolicy = .reloadRevalidatingCacheData
    // Nobody reads the body, and what no store has room for is not loaded on.
    let limit = cache.isSubclassed ? Int.max : (cache.stores.map(\.capacity).max() ?? 0) / URLCache.largestShare
    let sink = DiscardingSink(limit: limit) { _ = cache.revalidations.withLock { $0.remove(key.text) } }
    session.task(LoadPlan(request: request, kind: .bytes, owner: .reader), sink: sink).resume()
  }
}
