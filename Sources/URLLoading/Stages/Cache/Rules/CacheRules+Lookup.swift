internal import URLLoadingHTTPSemantics

extension CacheRules {
  /// What to do about a request.
  /// - Parameter stored: the responses that are stored for its URL.
  func lookup(_ request: CacheRequest, among stored: [StoredHead], at now: Date) -> CacheLookup {
    let asked = request.directives
    let found = search(request, asked, among: stored, at: now)
    return request.policy == .returnCacheDataDontLoad || asked.onlyIfCached ? found.withoutLoading : found
  }

  private func search(
    _ request: CacheRequest, _ asked: CacheDirectives, among stored: [StoredHead], at now: Date
  ) -> CacheLookup {
    switch request.policy {
    case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: return .miss(.policyReloads)
    case .useProtocolCachePolicy, .returnCacheDataElseLoad, .returnCacheDataDontLoad, .reloadRevalidatingCacheData:
      break
    }
    // Unsafe requests are written through (section 4).
    guard request.isRetrieval else { return .miss(.method) }
    guard !request.hasOwnConditions else { return .miss(.ownConditions) }
    guard !stored.isEmpty else { return .miss(.nothingStored) }
    let usable = stored.indices.map { Candidate($0, stored[$0]) }.filter {
      mayUse($0.directives, statusCode: $0.head.statusCode)
    }
    guard !usable.isEmpty else { return .miss(.notAllowed) }
    let matching = usable.filter { $0.head.matches(request) }
    guard !matching.isEmpty else { return validationOfVariants(usable, request) }
    let candidates = matching.filter { bytes(of: $0.head, for: request) != nil }
    guard let candidate = candidates.max(by: Candidate.isLess) else { return completion(of: matching, request) }
    return judged(candidate, request, asked, at: now)
  }

  /// A stored response with its place.
  struct Candidate {
    let index: Int
    let head: StoredHead
    let directives: CacheDirectives

    init(_ index: Int, _ head: StoredHead) {
      self.index = index
      self.head = head
      directives = head.directives
    }

    /// The most recent is used (section 4), but one without `Vary` beside others that have it is often a mistake (section 4.1).
    static func isLess(_ left: Candidate, _ right: Candidate) -> Bool {
      let (leftVaries, rightVaries) = (left.head.fields.contains("Vary"), right.head.fields.contains("Vary"))
      guard leftVaries == rightVaries else { return rightVaries }
      let (leftDate, rightDate) = (left.head.date, right.head.date)
      return leftDate == rightDate ? left.head.responseDate < right.head.responseDate : leftDate < rightDate
    }
  }

  /// As many entity tags of variants go into one request.
  private static let variantLimit = 8

  /// The responses answer other request fields; the source may say that one of them answers this request too (section 4.1). Parts are not
  /// asked for (section 4.3.2).
  private func validationOfVariants(_ variants: [Candidate], _ request: CacheRequest) -> CacheLookup {
    guard request.range == nil else { return .miss(.varies) }
    var nominated: [Candidate] = []
    var tags: [String] = []
    for variant in variants.sorted(by: { Candidate.isLess($1, $0) }) where nominated.count < Self.variantLimit {
      guard variant.head.part == nil, let tag = EntityTag.field(of: variant.head.fields), EntityTag.isWellFormed(tag)
      else { continue }
      nominated.append(variant)
      tags.append(tag)
    }
    guard !nominated.isEmpty else { return .miss(.varies) }
    return .validate(nominated.map(\.index), ConditionalFields(anyOf: tags), staleIfError: nil, .varies)
  }
}
