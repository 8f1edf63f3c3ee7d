/// What the cache decides, as events.
extension LoadEvents {
  /// Reports what the rules say about a request.
  func report(_ decision: CacheLookup, about found: [FoundEntry]) {
    let reason = URLSession.EventCacheReason(decision.reason)
    func response(_ index: Int?) -> URLResponse? {
      index.flatMap { found.indices.contains($0) ? found[$0].entry.response : nil }
    }
    switch decision {
    case .miss, .unavailable: report(.missedCache(reason))
    case .answer(let index, _), .answerAndRevalidate(let index, _, _):
      if let response = response(index) { report(.hitCache(response, reason)) }
    // The missing part of a stored response is asked for under the condition that the rest is still right.
    case .complete(let index, _, _):
      if let response = response(index) { report(.validates(response, reason)) }
    case .validate(let indices, _, staleIfError: _, _):
      if let response = response(indices.first) { report(.validates(response, reason)) }
    }
  }

  /// Reports what becomes of the response of a scheme without rules of freshness.
  func report(classDecisionOn found: FoundEntry, policy: NSURLRequest.CachePolicy) {
    switch policy {
    case .returnCacheDataElseLoad, .returnCacheDataDontLoad:
      report(.hitCache(found.entry.response, URLSession.EventCacheReason(.policyTakesAny)))
    case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData:
      report(.missedCache(URLSession.EventCacheReason(.policyReloads)))
    case .useProtocolCachePolicy, .reloadRevalidatingCacheData:
      report(.validates(found.entry.response, .classDecides))
    }
  }
}
