internal import URLLoadingHTTPSemantics

extension CacheRules {
  /// Whether the response that is chosen answers as it is.
  func judged(_ candidate: Candidate, _ request: CacheRequest, _ asked: CacheDirectives, at now: Date) -> CacheLookup {
    let (head, given) = (candidate.head, candidate.directives)
    switch request.policy {
    case .returnCacheDataElseLoad, .returnCacheDataDontLoad: return .answer(candidate.index, .policyTakesAny)
    case .useProtocolCachePolicy, .reloadRevalidatingCacheData, .reloadIgnoringLocalCacheData,
      .reloadIgnoringLocalAndRemoteCacheData:
      break
    }
    let freshness = Freshness(of: head, given, in: kind, at: now)
    func validation(_ reason: CacheReason) -> CacheLookup {
      let isAnswerAtFailure = mayAnswer(given, freshness, asked, request.policy, after: nil)
      return .validate(
        [candidate.index], ConditionalFields(head, forPart: request.range != nil),
        staleIfError: isAnswerAtFailure ? candidate.index : nil, reason)
    }
    if given.noCache == .all { return validation(.noCache) }
    if asked.noCache != .nothing { return validation(.requestNoCache) }
    if request.policy == .reloadRevalidatingCacheData {
      let isImmutable = freshness.isFresh && Self.isImmutable(head, given, request)
      return isImmutable ? .answer(candidate.index, .immutable) : validation(.policyRevalidates)
    }
    // Of 0 it is said that it has everything validated, even what came in this second.
    if let limit = asked.maxAge?.limit, limit == 0 || freshness.age > TimeInterval(limit) {
      return validation(.requestMaxAge)
    }
    if let span = asked.minFresh,
      freshness.lifetime < freshness.age + TimeInterval(span.granted ?? DeltaSeconds.infinity)
    {
      return validation(.requestMinFresh)
    }
    if freshness.isFresh { return .answer(candidate.index, .fresh) }
    guard !forbidsStale(given) else { return validation(.stale) }
    if let accepted = asked.maxStale?.granted, freshness.staleness <= TimeInterval(accepted) {
      return .answer(candidate.index, .acceptedStale)
    }
    // A request with a limit of its own does not want what is stale (section 5.2.1.1).
    if asked.maxAge == nil, asked.minFresh == nil, let span = given.staleWhileRevalidate?.granted,
      freshness.staleness <= TimeInterval(span)
    {
      let conditions = ConditionalFields(head, forPart: request.range != nil)
      return .answerAndRevalidate(candidate.index, conditions, .staleWhileRevalidate)
    }
    return validation(.stale)
  }

  /// Whether a response that is fresh need not be validated even where a request's policy asks for that: RFC 8246, section 2, for what
  /// came through TLS and in a length that is known to be right (section 3). The policies that ignore the cache have no use for it.
  private static func isImmutable(_ head: StoredHead, _ given: CacheDirectives, _ request: CacheRequest) -> Bool {
    given.immutable && head.isFramed && request.url.scheme?.lowercased() == "https"
  }

  /// How an attempt to validate a stored response ended without an answer.
  enum Failure: Sendable, Equatable {
    /// The source could not be reached.
    case unreachable
    /// It answered with this status.
    case status(Int)
  }

  /// Whether a stored response, though stale, answers a request whose validation failed.
  func mayAnswer(_ head: StoredHead, to request: CacheRequest, after failure: Failure, at now: Date) -> Bool {
    let given = head.directives
    return mayUse(given, statusCode: head.statusCode)
      && mayAnswer(
        given, Freshness(of: head, given, in: kind, at: now), request.directives, request.policy, after: failure)
  }

  /// - Parameter failure: nil: any for which the response would answer.
  private func mayAnswer(
    _ given: CacheDirectives, _ freshness: Freshness, _ asked: CacheDirectives, _ policy: NSURLRequest.CachePolicy,
    after failure: Failure?
  ) -> Bool {
    // Who asks for a validation wants no answer without one.
    guard policy != .reloadRevalidatingCacheData, asked.noCache == .nothing, !forbidsStale(given) else { return false }
    // RFC 5861, section 4: each of these is an error, and so is an answer that never came.
    if case .status(let code) = failure, ![500, 502, 503, 504].contains(code) { return false }
    let spans = [given.staleIfError, asked.staleIfError].compactMap { $0 }
    return spans.contains { span in span.granted.map { freshness.staleness <= TimeInterval($0) } ?? false }
  }
}
