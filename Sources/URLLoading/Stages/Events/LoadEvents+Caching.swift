/// What the cache decides, as events.
extension LoadEvents {
  /// Tells what the rules say about a request.
  func tell(_ decision: CacheLookup, about found: [FoundEntry]) {
    let reason = URLSession.EventCacheReason(decision.reason)
    func response(_ index: Int?) -> URLResponse? {
      index.flatMap { found.indices.contains($0) ? found[$0].entry.response : nil }
    }
    switch decision {
    case .miss, .unavailable: tell(.missedCache(reason))
    case .answer(let index, _), .answerAndRevalidate(let index, _, _):
      if let response = response(index) { tell(.hitCache(response, reason)) }
    // The missing part of a stored response is asked for under the condition that the rest is still right.
    case .complete(let index, _, _):
      if let response = response(index) { tell(.validates(response, reason)) }
    case .validate(let indices, _, staleIfError: _, _):
      if let response = response(indices.first) { tell(.validates(response, reason)) }
    }
  }

  /// Tells what becomes of the response of a scheme without rules of freshness.
  func tell(classDecisionOn found: FoundEntry, policy: NSURLRequest.CachePolicy) {
    switch policy {
    case .returnCacheDataElseLoad, .returnCacheDataDontLoad:
      tell(.hitCache(found.entry.response, URLSession.EventCacheReason(.policyTakesAny)))
    case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData:
      tell(.missedCache(URLSession.EventCacheReason(.policyReloads)))
    case .useProtocolCachePolicy, .reloadRevalidatingCacheData:
      tell(.validates(found.entry.response, .classDecides))
    }
  }
}
