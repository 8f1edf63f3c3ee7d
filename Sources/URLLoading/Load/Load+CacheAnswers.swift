internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

/// Answers from the cache: in place of an instance, and after an instance whose response is for the cache.
extension Load {
  /// Answers with what is stored; where its body has gone meanwhile, the rest of what was found decides.
  ///
  /// - Parameter cache: where the response is validated for the loads to come, once its body is held: another may take its place then.
  func answer(
    with found: FoundEntry, _ prepared: PreparedAttempt, _ caching: AttemptCaching,
    revalidatingIn cache: URLCache? = nil
  ) -> AttemptStart? {
    decide(awaiting: { body(of: found, $0) }) { body in
      guard let body, let answer = self.answer(found, body, to: caching.request) else {
        var caching = caching
        caching.update { $0.found.removeAll { $0.entry.id == found.entry.id } }
        self.events?.report(.retries(.storedResponseGone))
        guard let cache = self.session.values.urlCache else { return self.attemptStart(prepared, caching) }
        return self.decide(cache, prepared, caching)
      }
      if let cache { self.revalidate(prepared.request, caching.key, in: cache) }
      return self.attemptStart(prepared, sending: answer)
    }
  }

  /// The part of a stored response to deliver: all of it, or the requested range.
  private func answer(
    _ found: FoundEntry, _ body: URLCacheBody, to asked: CacheRequest, isValidated: Bool = false
  ) -> CachedResponseProtocol.Answer? {
    let entry = found.entry
    guard body.length == entry.bodyLength else { return nil }
    var discard: (@Sendable () -> Void)?
    if case .reader = body { discard = { found.store.remove([found.entry]) } }
    guard let http = entry.response as? HTTPURLResponse, let url = http.url, let head = entry.head else {
      return CachedResponseProtocol.Answer(
        response: entry.response, body: body, range: 0..<entry.bodyLength, discard: discard)
    }
    guard let answer = CacheRules().answer(from: head, to: asked, at: Date(), isValidated: isValidated) else {
      return nil
    }
    let response = HTTPURLResponse(
      url: url, statusCode: answer.statusCode, httpVersion: http.httpVersion, fields: answer.fields.fields,
      isReceived: http.isReceived)
    return CachedResponseProtocol.Answer(
      response: response, body: body, range: asked.method == "HEAD" ? 0..<0 : answer.bytes, discard: discard)
  }

  /// Makes an instance that sends the answer.
  func attemptStart(_ prepared: consuming PreparedAttempt, sending answer: CachedResponseProtocol.Answer)
    -> AttemptStart
  {
    let gate = URLProtocolGate()
    let client = LoadClient(load: self, attempt: prepared.attempt, gate: gate, mayWait: false)
    let instance = CachedResponseProtocol.instance(answer, for: prepared.request, client: client)
    return attemptStart(prepared, with: instance, gate, isStored: true)
  }

  /// A part that was asked for on the cache's behalf has come, or was refused: the program did not ask for it, and gets the whole of what
  /// it asked for when that is there.
  func complete(_ found: FoundEntry, with answer: CacheResponse, _ stored: CacheUpdate, attempt: Int) {
    let completion = stored.completion(of: found, with: answer)
    update { state in
      if state.machine.attempt == attempt { state.attempt.cache.complete(completion?.0, by: completion?.1) }
    }
  }

  /// The part has come: both are stored as one, which answers.
  private func finishCompletion(of part: CachedPart, _ caching: AttemptCaching, attempt: Int) {
    let new = read { $0.attempt.cache.recorder }?.proposal?.data
    decide(awaiting: { body(of: part.found, $0) }) { (body: URLCacheBody?) in
      BlockingPool.protocols.run {
        guard let body, let new, let found = part.store(body, new) else {
          part.found.store.remove([part.found.entry])
          self.events?.report(.retries(.storedResponseGone))
          return self.open(self.supersede(caching, attempt: attempt).flatMap { self.attemptStart($0) })
        }
        self.events?.report(.hitCache(found.entry.response, .completed))
        self.replace(with: found, caching, isConfirmed: true, attempt: attempt)
      }
    }
  }

  // MARK: The end of an attempt

  /// The instance has finished.
  /// - Returns: whether something else answers in its place.
  func finishedForCache(attempt: Int) -> Bool {
    let finished = read { $0.machine.attempt == attempt ? $0.attempt.cache.finished() : nil }
    guard let (end, caching) = finished else { return false }
    switch end {
    case .confirmed(let found): replace(with: found, caching, isConfirmed: true, attempt: attempt)
    case .completed(let part): finishCompletion(of: part, caching, attempt: attempt)
    case .answered: break
    case .reload:
      events?.report(.retries(.storedResponseGone))
      open(supersede(caching, attempt: attempt).flatMap { self.attemptStart($0) })
    }
    return true
  }

  /// The instance has failed.
  /// - Returns: whether something else answers in its place.
  func failedForCache(_ error: any Error, attempt: Int) -> Bool {
    guard session.values.urlCache != nil else { return false }
    switch read({ $0.machine.opens(attempt: attempt) ? $0.attempt.cache.failed() : .pass }) {
    case .pass: return false
    case .ignore: return true
    case .reload: return openWithoutStored(attempt: attempt)
    case .fallBack(on: let fallback, let caching):
      guard let head = fallback.entry.head,
        CacheRules(for: [fallback]).mayAnswer(head, to: caching.request, after: .unreachable, at: Date())
      else { return false }
      answerStale(with: fallback, caching, attempt: attempt)
      return true
    }
  }

  /// What is stored has turned out to be damaged before any of it was sent, and was removed: the cache is asked anew.
  /// - Returns: false where the load has ended.
  private func openWithoutStored(attempt: Int) -> Bool {
    guard let prepared = supersede(nil, attempt: attempt) else { return false }
    events?.report(.retries(.storedResponseGone))
    open(lookUp(prepared))
    return true
  }

  /// Answers with what is stored, in the place of an error.
  func answerStale(with fallback: FoundEntry, _ caching: AttemptCaching, attempt: Int) {
    events?.report(.hitCache(fallback.entry.response, .staleIfError))
    update { state in
      if state.machine.attempt == attempt { state.attempt.cache.answer() }
    }
    replace(with: fallback, caching, attempt: attempt)
  }

  /// The instance reports that its stored response is valid.
  func answersFromCache(attempt: Int) {
    update { state in
      if state.machine.attempt == attempt { state.metrics.answersFromCache() }
    }
  }

  /// Ends the attempt, and answers from the cache; the received response is dropped.
  /// - Parameter isConfirmed: whether the source has just said so; then it is not of some age.
  private func replace(
    with found: FoundEntry, _ caching: AttemptCaching, isConfirmed: Bool = false, attempt: Int
  ) {
    let start = decide(awaiting: { body(of: found, $0) }) { body in
      guard let prepared = self.supersede(caching, attempt: attempt) else { return nil }
      if let body, let answer = self.answer(found, body, to: caching.request, isValidated: isConfirmed) {
        return self.attemptStart(prepared, sending: answer)
      }
      // Its body has gone: the whole is loaded.
      self.events?.report(.retries(.storedResponseGone))
      found.store.remove([found.entry])
      return self.attemptStart(prepared)
    }
    open(start)
  }

  /// Replaces the instance by one that loads the same request without the conditional fields.
  /// - Parameter caching: what set such fields; nil where nothing did.
  /// - Returns: nil where the load has ended, or has a response.
  private func supersede(_ caching: AttemptCaching?, attempt: Int) -> PreparedAttempt? {
    let now = MonotonicInstant.now
    return update { state in
      guard state.machine.replaced(attempt: attempt, at: now), var request = state.attempt.request,
        let chosen = state.attempt.protocolClass
      else { return nil }
      // Of a stored response nobody got anything.
      if state.attempt.cache.isStored { state.metrics.dropTransaction() }
      state.stopInstance()
      caching?.removeConditions(from: &request)
      state.attempt.listenerFields.withdraw(from: &request)
      state.attempt = Attempt(request: request, cookies: state.attempt.cookies)
      return PreparedAttempt(request: request, protocolClass: chosen, rangeOffset: nil, attempt: state.machine.attempt)
    }
  }
}
