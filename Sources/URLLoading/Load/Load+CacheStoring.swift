internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

/// Storing responses of instances in the cache.
extension Load {
  /// Handles a response of the instance, with its storage policy.
  func receive(_ response: URLResponse, storagePolicy policy: URLCache.StoragePolicy, attempt: Int) {
    if retries(insteadOf: response, attempt: attempt) { return }
    let http = response as? HTTPURLResponse
    let forbidsStoring = http?.forbidsStoring ?? (policy == .notAllowed)
    guard let cache = session.values.urlCache,
      let stored = read({ state -> CacheUpdate? in
        guard state.machine.attempt == attempt, let caching = state.attempt.cache.caching else { return nil }
        // A listener hears why.
        return forbidsStoring && caching.isIdle && events == nil ? nil : state.attempt.cacheUpdate(of: cache, caching)
      })
    else { return receive(response, attempt: attempt) }
    let caching = stored.caching
    guard speaker(of: response).isOfResource else {
      caching.claim?.end(.notStored)
      return receive(response, attempt: attempt)
    }
    guard let http, let url = response.url else {
      // What other methods answer, and a part of it, is not the resource.
      if policy != .notAllowed, caching.request.method == "GET", response.contentRange == nil {
        record(response, policy, stored, replacing: caching.found, attempt: attempt)
      }
      return receive(response, attempt: attempt)
    }
    let answer = CacheResponse(statusCode: http.statusCode, fields: http.fields, url: url)
    if http.statusCode == 304, !caching.validating.isEmpty {
      let confirmed = stored.confirm(by: answer)
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
      return complete(found, with: answer, stored, attempt: attempt)
    }
    if let fallback = caching.fallback, let head = fallback.entry.head,
      CacheRules(for: [fallback]).mayAnswer(head, to: caching.request, after: .status(http.statusCode), at: Date())
    {
      update { $0.metrics.responded(response) }
      storeCookiesAndCredential(of: response)
      return answerStale(with: fallback, caching, attempt: attempt)
    }
    stored.invalidate(by: answer)
    if caching.request.method == "HEAD" {
      stored.freshen(byHead: answer)
    } else if policy != .notAllowed, http.replacedPartBoundary != nil {
      // Each answer has other parts, and may have no end, for which others would wait.
      caching.claim?.end(.notStored)
    } else if policy != .notAllowed {
      let storage = CacheRules().storage(
        of: answer, to: caching.request, requestDate: caching.requestDate, responseDate: Date())
      let superseded = stored.superseded(by: answer)
      switch storage {
      case .refuse(let refusal):
        events?.report(.notStored(response, URLSession.EventCacheReason(refusal)))
        caching.claim?.end(.notStored)
        stored.remove(superseded)
      case .store(let head):
        let kept = HTTPURLResponse(
          url: url, statusCode: head.statusCode, httpVersion: http.httpVersion, fields: head.fields.fields,
          isReceived: http.isReceived)
        record(kept, policy, stored, selecting: head.selectingFields, replacing: superseded, attempt: attempt)
      }
    }
    receive(response, attempt: attempt)
  }

  /// A response that does not reach the program has cookies all the same, and may accept a credential.
  func storeCookiesAndCredential(of response: URLResponse) {
    storeCookies(of: response)
    if read({ $0.attempt.credentials.awaitsAcceptance }) { storeCredential(response) }
  }

  // MARK: Storing

  /// Begins to store a response.
  private func record(
    _ response: URLResponse, _ policy: URLCache.StoragePolicy, _ stored: CacheUpdate,
    selecting: [SelectingField] = [], replacing replaced: [FoundEntry], attempt: Int
  ) {
    let recorder = stored.recorder(
      of: response, policy, selecting: selecting, replacing: replaced,
      isAsked: asksDelegate || stored.cache.isSubclassed)
    update { state in
      if state.machine.attempt == attempt { state.attempt.cache.store(by: recorder) }
    }
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
      read { $0.attempt.cacheUpdate(of: cache, caching) }.remove(recorder.replaced)
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
          self.read { $0.attempt.cacheUpdate(of: cache, caching) }.remove(recorder.replaced)
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
