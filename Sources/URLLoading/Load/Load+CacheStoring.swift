internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

/// Storing responses of instances in the cache.
extension Load {
  /// Handles a response of the instance, with its storage policy.
  func receive(_ response: URLResponse, storagePolicy policy: URLCache.StoragePolicy, attempt: Int) {
    let http = response as? HTTPURLResponse
    let forbidsStoring = http?.forbidsStoring ?? (policy == .notAllowed)
    guard let cache = session.values.urlCache,
      let caching = read({ state -> AttemptCaching? in
        guard state.machine.attempt == attempt, let caching = state.attempt.cache.caching else { return nil }
        // A listener hears why.
        return forbidsStoring && caching.isIdle && events == nil ? nil : caching
      })
    else { return receive(response, attempt: attempt) }
    guard speaker(of: response).isOfResource else {
      caching.claim?.end(.notStored)
      return receive(response, attempt: attempt)
    }
    guard let http, let url = response.url else {
      // What other methods answer, and a part of it, is not the resource.
      if policy != .notAllowed, caching.request.method == "GET", response.contentRange == nil {
        record(response, policy, caching, in: cache, replacing: caching.found, attempt: attempt)
      }
      return receive(response, attempt: attempt)
    }
    let answer = CacheResponse(statusCode: http.statusCode, fields: http.fields, url: url)
    if http.statusCode == 304, !caching.validating.isEmpty {
      let confirmed = confirm(caching, by: answer, in: cache)
      if confirmed != nil { events?.report(.validated(response)) }
      storeCookiesAndCredential(of: response)
      return update { state in
        state.attempt.cache.confirm(confirmed)
        state.metrics.responded(response)
      }
    }
    if let found = caching.completing, [206, 416].contains(http.statusCode) || answer.isUnmarkedPart {
      update { $0.metrics.responded(response) }
      storeCookiesAndCredential(of: response)
      return complete(found, with: answer, caching, attempt: attempt)
    }
    if let fallback = caching.fallback, let head = fallback.entry.head,
      rules(for: [fallback]).mayAnswer(head, to: caching.request, after: .status(http.statusCode), at: Date())
    {
      update { $0.metrics.responded(response) }
      storeCookiesAndCredential(of: response)
      return answerStale(with: fallback, caching, attempt: attempt)
    }
    for invalid in CacheRules().invalidated(by: answer, to: caching.request) { invalidate(invalid, in: cache) }
    if caching.request.method == "HEAD" {
      freshen(caching, byHead: answer, in: cache)
    } else if policy != .notAllowed, http.replacedPartBoundary != nil {
      // Each answer has other parts, and may have no end, for which others would wait.
      caching.claim?.end(.notStored)
    } else if policy != .notAllowed {
      let storage = CacheRules().storage(
        of: answer, to: caching.request, requestDate: caching.requestDate, responseDate: Date())
      let superseded = superseded(caching, by: answer)
      switch storage {
      case .refuse(let refusal):
        events?.report(.notStored(response, URLSession.EventCacheReason(refusal)))
        caching.claim?.end(.notStored)
        remove(superseded, from: cache)
      case .store(let head):
        let kept = HTTPURLResponse(
          url: url, statusCode: head.statusCode, httpVersion: http.httpVersion, fields: head.fields.fields,
          isReceived: http.isReceived)
        record(
          kept, policy, caching, in: cache, selecting: head.selectingFields, replacing: superseded, attempt: attempt)
      }
    }
    receive(response, attempt: attempt)
  }

  /// The entry that a 304 confirms, with the updated fields; nil if it selects none (RFC 9111, section 4.3.4).
  private func confirm(_ caching: AttemptCaching, by answer: CacheResponse, in cache: URLCache) -> FoundEntry? {
    let heads = caching.validating.compactMap(\.entry.head)
    var confirmed: FoundEntry?
    for index in CacheRules().selected(by: answer, among: heads) {
      var found = caching.validating[index]
      let rules = rules(for: [found])
      let head = rules.freshened(
        heads[index], by: answer, requestDate: caching.requestDate, responseDate: Date())
      found.entry.freshen(by: head)
      if rules.mayKeep(head, answering: request(caching, in: found.store)) {
        replaceHead(of: found, in: cache)
      } else {
        remove([found], from: cache)
      }
      if confirmed == nil { confirmed = found }
    }
    caching.claim?.end(.stored)
    return confirmed
  }

  /// A response to HEAD says whether what is stored is still right (RFC 9111, section 4.3.5).
  private func freshen(_ caching: AttemptCaching, byHead answer: CacheResponse, in cache: URLCache) {
    for found in caching.found {
      guard let head = found.entry.head else { continue }
      let effects = rules(for: [found]).freshenedByHead(
        [head], by: answer, to: request(caching, in: found.store), requestDate: caching.requestDate,
        responseDate: Date())
      for effect in effects {
        switch effect {
        case .updated(_, let head):
          var found = found
          found.entry.freshen(by: head)
          replaceHead(of: found, in: cache)
        case .stale: remove([found], from: cache)
        }
      }
    }
  }

  // MARK: What is stored already

  /// Both tiers may have an entry, by one identifier.
  private func remove(_ found: [FoundEntry], from cache: URLCache) {
    guard !found.isEmpty else { return }
    if cache.isSubclassed { return found.forEach { tellSubclass(cache, nil, for: $0) } }
    let entries = found.map(\.entry)
    cache.memory.remove(entries)
    cache.store?.remove(entries.filter { !$0.staysInMemory })
  }

  /// A shared store has other fields than the program's own: its entry stays as it is, unless it is the one that was validated.
  private func replaceHead(of found: FoundEntry, in cache: URLCache) {
    if cache.isSubclassed { return tellSubclass(cache, found.entry, for: found) }
    let stores: [any URLCacheStore] = found.entry.staysInMemory ? [cache.memory] : cache.stores
    for store in stores where !store.isShared || store === found.store { store.replace(found.entry) }
  }

  /// An unsafe request invalidates the stored responses of its URL (RFC 9111, section 4.4).
  private func invalidate(_ url: URL, in cache: URLCache) {
    guard cache.isSubclassed else { return cache.removeAll(for: CacheKey(get: url)) }
    BlockingPool.protocols.run { cache.removeCachedResponse(for: URLRequest(url: url)) }
  }

  /// A cache of the program's own has its responses by requests. Its methods may wait for something.
  private func tellSubclass(_ cache: URLCache, _ entry: URLCacheEntry?, for found: FoundEntry) {
    guard let request = read({ $0.attempt.request }) else { return }
    let body: Data? = if case .data(let data) = found.entry.body { data } else { nil }
    BlockingPool.protocols.run {
      guard let entry, let body else { return cache.removeCachedResponse(for: request) }
      cache.storeCachedResponse(CachedURLResponse(entry, body), for: request)
    }
  }

  /// A response that does not reach the program has cookies all the same, and may accept a credential.
  private func storeCookiesAndCredential(of response: URLResponse) {
    storeCookies(of: response)
    if read({ $0.attempt.credentials.awaitsAcceptance }) { storeCredential(response) }
  }

  // MARK: Storing

  /// Begins to store a response.
  private func record(
    _ response: URLResponse, _ policy: URLCache.StoragePolicy, _ caching: AttemptCaching, in cache: URLCache,
    selecting: [SelectingField] = [], replacing replaced: [FoundEntry], attempt: Int
  ) {
    let entry = URLCacheEntry(
      key: caching.key.text, response: response,
      staysInMemory: policy == .allowedInMemoryOnly || caching.key.hasPassword,
      requestDate: caching.requestDate, responseDate: Date(), selectingFields: selecting)
    let isAsked = asksDelegate || cache.isSubclassed
    let shared = cache.store?.isShared == true ? entry.shareable(answering: sharedRequest(caching)) : nil
    let stores = isAsked ? [] : cache.stores(for: caching.key)
    let targets = stores.map { target(in: $0, for: $0.isShared ? shared : entry, of: cache) }
    if let claim = caching.claim,
      shared == nil || !isAsked && !targets.contains(where: { $0.store.isShared && $0.writer != nil })
    {
      claim.end(.notStored)
    }
    let limit = max(cache.memoryCapacity, cache.diskCapacity) / URLCache.largestShare
    let recorder = CacheRecorder(
      entry, targets: targets, replacing: replaced, collecting: isAsked ? limit : 0)
    update { state in
      if state.machine.attempt == attempt { state.attempt.cache.store(by: recorder) }
    }
  }

  /// What a store gets of a response.
  private func target(
    in store: any URLCacheStore, for entry: URLCacheEntry?, of cache: URLCache
  ) -> CacheRecorder.Target {
    let limit = store.capacity / URLCache.largestShare
    guard let entry, !entry.staysInMemory || store === cache.memory,
      entry.response.expectedContentLength <= limit
    else { return CacheRecorder.Target(store: store, entry: nil, writer: nil, limit: limit) }
    let writer = store.writer(for: entry, expectedLength: entry.response.expectedContentLength)
    return CacheRecorder.Target(store: store, entry: entry, writer: writer, limit: limit)
  }

  /// The found entries that a newer response replaces.
  private func superseded(_ caching: AttemptCaching, by answer: CacheResponse) -> [FoundEntry] {
    let found = caching.found.filter { $0.entry.head != nil }
    return CacheRules().superseded(by: answer, to: caching.request, among: found.compactMap(\.entry.head)).map {
      found[$0]
    }
  }

  /// The request for the rules of a shared cache: with the `Authorization` that a credential of the session adds.
  private func sharedRequest(_ caching: AttemptCaching) -> CacheRequest {
    caching.request.authorized(read { $0.attempt.credentials.isAuthorized })
  }

  /// The request for the rules of the cache that a store belongs to.
  func request(_ caching: AttemptCaching, in store: any URLCacheStore) -> CacheRequest {
    store.isShared ? sharedRequest(caching) : caching.request
  }

  private var asksDelegate: Bool {
    guard case .delegate = plan.owner, plan.kind == .data || plan.kind == .upload else { return false }
    return read { $0.delegates.data?.lacks(.cached) == false }
  }

  // MARK: The end of an attempt

  /// What was stored of the attempt's response, to be finished; nil where nothing was.
  func takeRecorder(attempt: Int) -> CacheRecorder? {
    guard session.values.urlCache != nil else { return nil }
    return update { state in
      state.machine.attempt == attempt ? state.attempt.cache.takeRecorder() : nil
    }
  }

  /// The body is whole and was delivered: keeps it, if the delegate agrees.
  /// - Parameter end: called when it is stored, where this returns true.
  /// - Returns: whether it is stored later. Otherwise it is stored, or dropped, or the delegate was asked.
  func storesLater(_ recorder: CacheRecorder, then end: @escaping @Sendable () -> Void) -> Bool {
    guard let cache = session.values.urlCache, let caching = read({ $0.attempt.cache.caching }) else { return false }
    guard asksDelegate || cache.isSubclassed else {
      let isStored = recorder.finish()
      caching.claim?.end(.stored)
      events?.report(isStored ? .stored(recorder.response) : .notStored(recorder.response, .tooLarge))
      return false
    }
    let (delegate, task, delivery) = read { ($0.delegates.data, $0.task, $0.delivery) }
    guard let proposal = recorder.proposal else {
      remove(recorder.replaced, from: cache)
      return false
    }
    guard asksDelegate, let delegate, let delivery, let dataTask = task as? URLSessionDataTask else {
      BlockingPool.protocols.run {
        self.keep(proposal, caching, in: cache)
        end()
      }
      return true
    }
    decide(
      asking: delegate, .cached, by: delivery,
      { $0.urlSession(self.session, dataTask: dataTask, willCacheResponse: proposal, completionHandler: $1) },
      then: { (answer: CachedURLResponse?) in
        guard let answer, answer.storagePolicy != .notAllowed else {
          self.remove(recorder.replaced, from: cache)
          caching.claim?.end(.notStored)
          self.events?.report(.notStored(recorder.response, .delegate))
          return
        }
        self.keep(answer, caching, in: cache)
      })
    return false
  }

  /// Keeps what a delegate, or a cache of the program's own, gets whole. May wait.
  private func keep(_ cached: CachedURLResponse, _ caching: AttemptCaching, in cache: URLCache) {
    let (task, request, isAuthorized) = read { ($0.task, $0.attempt.request, $0.attempt.credentials.isAuthorized) }
    if !cache.isSubclassed {
      cache.keep(cached, caching.key, answering: caching.request.authorized(isAuthorized), ofLoad: true)
    } else if let task = task as? URLSessionDataTask {
      cache.storeCachedResponse(cached, for: task)
    } else if let request {
      cache.storeCachedResponse(cached, for: request)
    }
    caching.claim?.end(.stored)
    events?.report(.stored(cached.response))
  }
}
