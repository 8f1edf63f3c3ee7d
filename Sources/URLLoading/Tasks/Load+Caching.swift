internal import URLLoadingBase

/// The cache: asked before an instance is made, told of what the instance sends, and an answer in its place.
///
/// The decisions are those of `CacheRules`.
extension Load {
  /// What is to be loaded, once a class was chosen.
  struct Opened: Sendable {
    var request: URLRequest
    let protocolClass: URLProtocol.Type
    let rangeOffset: Int64?
    let attempt: Int
  }

  /// The session's cache, where this load goes by it.
  private func cache(for opened: borrowing Opened) -> URLCache? {
    guard let cache = session.values.urlCache, plan.usesCache, plan.kind != .listing, opened.rangeOffset == nil,
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
    guard let cache = cache(for: opened), var caching = AttemptCaching(opened.request) else {
      for field in added { opened.request.addIfAbsent(field) }
      return start(opened)
    }
    for field in added where opened.request.addIfAbsent(field) {
      caching.conditions.append(AttemptCaching.Condition(name: field.name, own: nil))
    }
    guard CacheRequest.isRetrieval(opened.request.httpMethod) else {
      events?.tell(.missedCache(URLSession.EventCacheReason(CacheReason.method)))
      return start(opened, caching)
    }
    if cache.isSubclassed { return askSubclass(cache, opened, caching) }
    let key = caching.key
    caching.found = cache.memory.entries(for: key.text).map { FoundEntry(entry: $0, store: cache.memory) }
    // What memory has may do; the other store is asked where it does not.
    if let store = cache.store, !isAnswered(caching, in: cache) { return ask(store, of: cache, opened, caching) }
    decide(cache, opened, caching)
  }

  private func ask(
    _ store: any URLCacheStore, of cache: URLCache, _ opened: Opened, _ caching: AttemptCaching
  ) {
    store.entries(for: caching.key.text) { entries in
      var caching = caching
      caching.found.removeAll { $0.store === store }
      let known = Set(caching.found.map(\.entry.id))
      caching.found += entries.filter { !known.contains($0.id) }.map { FoundEntry(entry: $0, store: store) }
      if store.isShared, !caching.hasAskedForClaim, !self.isAnswered(caching, in: cache), caching.mayBeClaimed {
        return self.claim(from: store, of: cache, opened, caching)
      }
      self.decide(cache, opened, caching)
    }
  }

  /// Waits until nobody else loads the same, and asks the store again: it may have been stored meanwhile.
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

  private func rules(for found: [FoundEntry]) -> CacheRules {
    CacheRules(kind: found.contains { $0.store.isShared } ? .shared : .private)
  }

  private func isAnswered(_ caching: AttemptCaching, in cache: URLCache) -> Bool {
    guard !caching.found.isEmpty else { return false }
    let decision = rules(for: caching.found).lookup(
      caching.request, among: caching.found.compactMap(\.entry.head), at: Date())
    if case .answer = decision { return true }
    return false
  }

  /// Does what the rules say about what was found.
  private func decide(_ cache: URLCache, _ opened: consuming Opened, _ caching: consuming AttemptCaching) {
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
      revalidate(opened.request, caching.key, in: cache)
      answer(with: caching.found[index], opened, caching)
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

  private func body(of found: FoundEntry, _ take: @escaping @Sendable (URLCacheBody?) -> Void) {
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

  // MARK: Answers

  /// Answers with what is stored; loads where the body has gone meanwhile.
  private func answer(with found: FoundEntry, _ opened: Opened, _ caching: AttemptCaching) {
    body(of: found) { body in
      guard let body, let answer = self.answer(found.entry, body, to: caching.request) else {
        var caching = caching
        caching.found.removeAll { $0.entry.id == found.entry.id }
        self.events?.tell(.retries(.storedResponseGone))
        return self.start(opened, caching)
      }
      self.deliver(answer, opened)
    }
  }

  /// What is sent of a stored response: all, or the range that the request asks for.
  private func answer(
    _ entry: URLCacheEntry, _ body: URLCacheBody, to asked: CacheRequest, isValidated: Bool = false
  ) -> CachedResponseProtocol.Answer? {
    guard body.length == entry.bodyLength else { return nil }
    guard let http = entry.response as? HTTPURLResponse, let url = http.url, let head = entry.head else {
      return CachedResponseProtocol.Answer(response: entry.response, body: body, range: 0..<entry.bodyLength)
    }
    guard let answer = CacheRules().answer(from: head, to: asked, at: Date(), isValidated: isValidated) else {
      return nil
    }
    let response = HTTPURLResponse(
      url: url, statusCode: answer.statusCode, httpVersion: http.httpVersion, fields: answer.fields.fields,
      isReceived: http.isReceived)
    return CachedResponseProtocol.Answer(
      response: response, body: body, range: asked.method == "HEAD" ? 0..<0 : answer.bytes)
  }

  /// Begins the attempt with an instance that sends the answer.
  private func deliver(_ answer: CachedResponseProtocol.Answer, _ opened: borrowing Opened) {
    let gate = URLProtocolGate()
    let client = LoadClient(load: self, attempt: opened.attempt, gate: gate, mayWait: false)
    let instance = CachedResponseProtocol.instance(answer, for: opened.request, client: client)
    begin(opened, instance, gate, isStored: true)
  }

  /// Validates a response that has been used while it was stale, for the loads to come (RFC 5861, section 3). One load a key.
  private func revalidate(_ request: URLRequest, _ key: CacheKey, in cache: URLCache) {
    guard cache.revalidations.withLock({ $0.insert(key.text).inserted }) else { return }
    var request = request
    request.cachePolicy = .reloadRevalidatingCacheData
    let handler: @Sendable (Data?, URLResponse?, (any Error)?) -> Void = { _, _, _ in
      _ = cache.revalidations.withLock { $0.remove(key.text) }
    }
    session.dataTask(with: request, completionHandler: handler).resume()
  }

  // MARK: What the instance sends

  /// Takes a response of the instance, with what its class says about keeping it.
  func receive(_ response: URLResponse, storagePolicy policy: URLCache.StoragePolicy, attempt: Int) {
    let http = response as? HTTPURLResponse
    let forbidsStoring = http?.forbidsStoring ?? (policy == .notAllowed)
    guard let cache = session.values.urlCache,
      let caching = read({ state -> AttemptCaching? in
        // A listener hears why.
        let isSkipped = forbidsStoring && state.attempt.cacheIsIdle && events == nil
        guard state.machine.attempt == attempt, !isSkipped else { return nil }
        return state.attempt.caching
      })
    else { return receive(response, attempt: attempt) }
    guard let http, let url = response.url else {
      if policy != .notAllowed {
        record(response, policy, caching, in: cache, replacing: caching.found, attempt: attempt)
      }
      return receive(response, attempt: attempt)
    }
    let answer = CacheResponse(statusCode: http.statusCode, fields: http.fields, url: url)
    if http.statusCode == 304, !caching.validating.isEmpty {
      let confirmed = confirm(caching, by: answer, in: cache)
      if confirmed != nil { events?.tell(.validated(response)) }
      return update { state in
        state.attempt.cacheEnd = confirmed.map { .confirmed($0) } ?? .reload
        state.metrics.responded(response)
      }
    }
    if let found = caching.completing, http.statusCode == 206 || http.statusCode == 416 {
      update { $0.metrics.responded(response) }
      return complete(found, with: answer, caching, attempt: attempt)
    }
    if let fallback = caching.fallback, let head = fallback.entry.head,
      rules(for: [fallback]).mayAnswer(head, to: caching.request, after: .status(http.statusCode), at: Date())
    {
      update { $0.metrics.responded(response) }
      events?.tell(.hitCache(fallback.entry.response, .staleIfError))
      return replace(with: fallback, caching, attempt: attempt)
    }
    for invalid in CacheRules().invalidated(by: answer, to: caching.request) {
      cache.removeAll(for: CacheKey(get: invalid).text)
    }
    if caching.request.method == "HEAD" {
      freshen(caching, byHead: answer)
    } else if policy != .notAllowed {
      let storage = CacheRules().storage(
        of: answer, to: caching.request, requestDate: caching.requestDate, responseDate: Date())
      if let claim = caching.claim, !mayShare(response, caching) { claim.end(.notStored) }
      let superseded = superseded(caching, by: answer)
      switch storage {
      case .refuse(let refusal):
        events?.tell(.notStored(response, URLSession.EventCacheReason(refusal)))
        for found in superseded { found.store.remove([found.entry]) }
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

  /// The entry that a 304 confirms, with what it says anew; nil where none is meant (RFC 9111, section 4.3.4).
  private func confirm(_ caching: AttemptCaching, by answer: CacheResponse, in cache: URLCache) -> FoundEntry? {
    let heads = caching.validating.compactMap(\.entry.head)
    var confirmed: FoundEntry?
    for index in CacheRules().selected(by: answer, among: heads) {
      var found = caching.validating[index]
      let rules = rules(for: [found])
      let head = rules.freshened(
        heads[index], by: answer, requestDate: caching.requestDate, responseDate: Date())
      found.entry.freshen(by: head)
      if rules.mayKeep(head, answering: caching.request) {
        found.store.replace(found.entry)
      } else {
        found.store.remove([found.entry])
      }
      if confirmed == nil { confirmed = found }
    }
    caching.claim?.end(.stored)
    return confirmed
  }

  /// A part that was asked for on the cache's behalf has come, or was refused: the program did not ask for it, and gets the whole of what it
  /// asked for when that is there.
  private func complete(
    _ found: FoundEntry, with answer: CacheResponse, _ caching: AttemptCaching, attempt: Int
  ) {
    var end = AttemptCaching.End.reload
    var recorder: CacheRecorder?
    if answer.statusCode == 206, let head = found.entry.head, let stored = head.part,
      let coming = answer.contentRange,
      let combined = rules(for: [found]).combined(
        head, with: answer, requestDate: caching.requestDate, responseDate: Date()),
      Int(combined.bodyLength) <= found.store.capacity / URLCache.largestShare
    {
      let entry = found.entry.combined(combined)
      end = .completed(CachedPart(found: found, stored: stored, coming: coming, combined: entry))
      recorder = CacheRecorder(entry, writers: [], replacing: [], collecting: Int(coming.length))
    }
    update { state in
      guard state.machine.attempt == attempt else { return }
      state.attempt.cacheEnd = end
      state.attempt.recorder = recorder
    }
  }

  /// The part has come: both are stored as one, which answers.
  private func finishCompletion(of part: CachedPart, _ caching: AttemptCaching, attempt: Int) {
    let new = read { $0.attempt.recorder }?.proposal?.data
    body(of: part.found) { body in
      BlockingPool.protocols.run {
        guard let body, let new, let found = part.store(body, new) else {
          part.found.store.remove([part.found.entry])
          self.events?.tell(.retries(.storedResponseGone))
          if let opened = self.supersede(caching, attempt: attempt) { self.start(opened) }
          return
        }
        self.events?.tell(.hitCache(found.entry.response, .completed))
        self.replace(with: found, caching, isConfirmed: true, attempt: attempt)
      }
    }
  }

  /// A response to HEAD says whether what is stored is still right (RFC 9111, section 4.3.5).
  private func freshen(_ caching: AttemptCaching, byHead answer: CacheResponse) {
    for found in caching.found {
      guard let head = found.entry.head else { continue }
      let effects = rules(for: [found]).freshenedByHead(
        [head], by: answer, to: caching.request, requestDate: caching.requestDate, responseDate: Date())
      for effect in effects {
        switch effect {
        case .updated(_, let head):
          var entry = found.entry
          entry.freshen(by: head)
          found.store.replace(entry)
        case .stale: found.store.remove([found.entry])
        }
      }
    }
  }

  /// Begins to store a response.
  private func record(
    _ response: URLResponse, _ policy: URLCache.StoragePolicy, _ caching: AttemptCaching, in cache: URLCache,
    selecting: [SelectingField] = [], replacing replaced: [FoundEntry], attempt: Int
  ) {
    let entry = URLCacheEntry(
      key: caching.key.text, response: response,
      staysInMemory: policy == .allowedInMemoryOnly || caching.key.hasPassword,
      requestDate: caching.requestDate, responseDate: Date(), selectingFields: selecting)
    let length = response.expectedContentLength
    let isAsked = asksDelegate || cache.isSubclassed
    var writers: [CacheRecorder.Writer] = []
    if !isAsked {
      for store in cache.stores where !store.isShared || mayShare(response, caching) {
        let limit = store.capacity / URLCache.largestShare
        if length > limit || entry.staysInMemory && store !== cache.memory { continue }
        if let writer = store.writer(for: entry, expectedLength: length) {
          writers.append(CacheRecorder.Writer(writer: writer, limit: limit))
        }
      }
      guard !writers.isEmpty else { return }
    }
    let limit = max(cache.memoryCapacity, cache.diskCapacity) / URLCache.largestShare
    let recorder = CacheRecorder(
      entry, writers: writers, replacing: replaced.map(\.entry), collecting: isAsked ? limit : 0)
    update { state in
      if state.machine.attempt == attempt { state.attempt.recorder = recorder }
    }
  }

  /// What a newer answer replaces, of what was found.
  private func superseded(_ caching: AttemptCaching, by answer: CacheResponse) -> [FoundEntry] {
    let found = caching.found.filter { $0.entry.head != nil }
    return CacheRules().superseded(by: answer, to: caching.request, among: found.compactMap(\.entry.head)).map {
      found[$0]
    }
  }

  private func mayShare(_ response: URLResponse, _ caching: AttemptCaching) -> Bool {
    guard let http = response as? HTTPURLResponse, let url = response.url else { return false }
    let answer = CacheResponse(statusCode: http.statusCode, fields: http.fields, url: url)
    let storage = CacheRules(kind: .shared).storage(
      of: answer, to: caching.request, requestDate: caching.requestDate, responseDate: Date())
    if case .store = storage { return true }
    return false
  }

  private var asksDelegate: Bool {
    guard case .delegate = plan.owner, plan.kind == .data || plan.kind == .upload else { return false }
    return read { $0.delegates.data?.lacks(.cached) == false }
  }

  // MARK: The end of an attempt

  /// The instance has finished.
  /// - Returns: whether something else answers in its place.
  func finishedForCache(attempt: Int) -> Bool {
    let (end, caching) = read { state -> (AttemptCaching.End?, AttemptCaching?) in
      guard state.attempt.isWithheld, state.machine.attempt == attempt else { return (nil, nil) }
      return (state.attempt.cacheEnd, state.attempt.caching)
    }
    guard let end, let caching else { return false }
    switch end {
    case .confirmed(let found): replace(with: found, caching, isConfirmed: true, attempt: attempt)
    case .completed(let part): finishCompletion(of: part, caching, attempt: attempt)
    case .reload:
      events?.tell(.retries(.storedResponseGone))
      if let opened = supersede(caching, attempt: attempt) { start(opened) }
    }
    return true
  }

  /// The instance has failed.
  /// - Returns: whether a stored response answers in its place.
  func failedForCache(_ error: any Error, attempt: Int) -> Bool {
    guard session.values.urlCache != nil,
      let caching = read({ $0.machine.attempt == attempt ? $0.attempt.caching : nil }),
      let fallback = caching.fallback, let head = fallback.entry.head, read({ $0.response }) == nil,
      rules(for: [fallback]).mayAnswer(head, to: caching.request, after: .unreachable, at: Date())
    else { return false }
    events?.tell(.hitCache(fallback.entry.response, .staleIfError))
    replace(with: fallback, caching, attempt: attempt)
    return true
  }

  /// The body is whole and was delivered: keeps it, if the delegate agrees.
  func storeWhole(attempt: Int) {
    guard let cache = session.values.urlCache,
      let recorder = update({ state in
        defer { state.attempt.recorder = nil }
        return state.attempt.recorder
      })
    else { return }
    let (delegate, task, delivery, request) = read {
      ($0.delegates.data, $0.task, $0.delivery, $0.attempt.request)
    }
    let keep: @Sendable (CachedURLResponse?) -> Void = { cached in
      guard let cached, cached.storagePolicy != .notAllowed else {
        self.events?.tell(.notStored(recorder.response, .delegate))
        return
      }
      self.events?.tell(.stored(cached.response))
      if let task = task as? URLSessionDataTask {
        cache.storeCachedResponse(cached, for: task)
      } else if let request {
        cache.storeCachedResponse(cached, for: request)
      }
    }
    guard asksDelegate, let delegate, let delivery, let dataTask = task as? URLSessionDataTask else {
      guard cache.isSubclassed else {
        recorder.finish()
        read { $0.attempt.caching }?.claim?.end(.stored)
        events?.tell(.stored(recorder.response))
        return
      }
      return keep(recorder.proposal)
    }
    guard let proposal = recorder.proposal else { return }
    delivery.addQuestion(
      ask: { answer in
        delegate.ask(
          .cached,
          {
            $0.urlSession(self.session, dataTask: dataTask, willCacheResponse: proposal, completionHandler: $1)
          }, answer: answer)
      },
      then: { (answer: CachedURLResponse?) in keep(answer) })
  }

  /// The instance says that the stored response which it was given answers.
  func answersFromCache(attempt: Int) {
    update { state in
      if state.machine.attempt == attempt { state.metrics.answersFromCache() }
    }
  }

  /// Ends the attempt, and answers with what is stored; the response that came is dropped.
  /// - Parameter isConfirmed: whether the source has just said so; then it is not of some age.
  private func replace(
    with found: FoundEntry, _ caching: AttemptCaching, isConfirmed: Bool = false, attempt: Int
  ) {
    body(of: found) { body in
      guard let opened = self.supersede(caching, attempt: attempt) else { return }
      if let body, let answer = self.answer(found.entry, body, to: caching.request, isValidated: isConfirmed) {
        return self.deliver(answer, opened)
      }
      // Its body has gone: the whole is loaded.
      self.events?.tell(.retries(.storedResponseGone))
      found.store.remove([found.entry])
      self.start(opened)
    }
  }

  /// Stops the instance for another one that loads the same request, without the fields that were to validate what is stored.
  /// - Returns: nil where the load has ended, or has a response.
  private func supersede(_ caching: AttemptCaching, attempt: Int) -> Opened? {
    let now = MonotonicInstant.now
    return update { state in
      guard state.machine.replaced(attempt: attempt, at: now), var request = state.attempt.request,
        let chosen = state.attempt.protocolClass
      else { return nil }
      state.stopInstance()
      caching.removeConditions(from: &request)
      state.attempt = Attempt(request: request, storageCookies: state.attempt.storageCookies)
      return Opened(request: request, protocolClass: chosen, rangeOffset: nil, attempt: state.machine.attempt)
    }
  }
}
