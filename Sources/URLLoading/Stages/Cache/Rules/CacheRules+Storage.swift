internal import URLLoadingHTTPSemantics

/// What may be stored (RFC 9111, section 3).
extension CacheRules {
  /// Whether a response is stored, and as what. The policy of the request does not matter: what is loaded anew replaces what was stored.
  ///
  /// A private cache is of one user, but a program may act for many, each with an `Authorization` of its own. A response that does not say
  /// that it is for all answers only requests that have the same one.
  func storage(
    of response: CacheResponse, to request: CacheRequest, requestDate: Date, responseDate: Date
  ) -> CacheStorage {
    let given = CacheDirectives(response.fields)
    if let refusal = refusal(of: response, given, to: request) { return .refuse(refusal) }
    let fields = StoredFields(response.fields, withheld: withheldNames(given), responseDate: responseDate).fields
    if kind == .shared, fields.contains("Set-Cookie") { return .refuse(.setCookie) }
    guard let selecting = selectingFields(of: response.fields, given, request) else { return .refuse(.varies) }
    return .store(
      StoredHead(
        statusCode: response.statusCode, fields: fields, requestDate: requestDate, responseDate: responseDate,
        selectingFields: selecting, part: response.contentRange))
  }

  /// Whether a stored response may stay after its fields changed (section 3.2): it is stored anew, so to speak.
  /// - Parameter request: the one whose answer changed it.
  func mayKeep(_ head: StoredHead, answering request: CacheRequest) -> Bool {
    let response = CacheResponse(statusCode: head.statusCode, fields: head.fields, url: request.url)
    let isKept = refusal(ofAnswer: response, head.directives, to: request) == nil
    return isKept && !(kind == .shared && head.fields.contains("Set-Cookie"))
  }

  private func refusal(of response: CacheResponse, _ given: CacheDirectives, to request: CacheRequest) -> CacheRefusal?
  {
    guard request.method == "GET" else { return .method }
    guard (200...599).contains(response.statusCode), !Self.momentaryStatusCodes.contains(response.statusCode) else {
      return .status
    }
    // A part is the answer to a request for one (RFC 9110, section 15.3.7). It has to be one whole part of what is stored undecoded.
    let asksForPart = request.fields.contains("Range")
    if response.statusCode == 206 {
      guard asksForPart, response.contentRange != nil, !response.isCoded else { return .part }
    }
    if asksForPart, response.isUnmarkedPart { return .part }
    return refusal(ofAnswer: response, given, to: request)
  }

  /// Statuses that are about the request, whose fields are no part of the key, or must not be stored: RFC 9111, section 3 (304), RFC 9110,
  /// section 15.5, RFC 6585, RFC 8470.
  static let momentaryStatusCodes: Set<Int> = [
    304, 401, 407, 408, 412, 416, 417, 421, 425, 426, 428, 429, 431, 511,
  ]

  private func refusal(ofAnswer response: CacheResponse, _ given: CacheDirectives, to request: CacheRequest)
    -> CacheRefusal?
  {
    // Not the directives of `Pragma`: it has no word for this.
    if CacheDirectives(request.fields).noStore { return .requestNoStore }
    if forbidsStoring(given, statusCode: response.statusCode) { return .noStore }
    if kind == .shared {
      if given.isPrivate == .all { return .isPrivate }
      // Section 3.5.
      let isAllowed = given.mustRevalidate || given.isPublic || given.sharedMaxAge != nil
      if request.fields.contains("Authorization"), !isAllowed { return .authorization }
    }
    let isMarked =
      given.isPublic || given.maxAge != nil || response.fields.contains("Expires")
      || (kind == .shared ? given.sharedMaxAge != nil : given.isPrivate != .nothing)
    return isMarked || Freshness.heuristicStatusCodes.contains(response.statusCode) ? nil : .notCacheable
  }

  /// Fields that may not be stored, in lower case (section 3.1).
  func withheldNames(_ given: CacheDirectives) -> Set<String> {
    var names: Set<String> = []
    if case .fields(let uncached) = given.noCache { names.formUnion(uncached) }
    if kind == .shared, case .fields(let personal) = given.isPrivate { names.formUnion(personal) }
    return names
  }

  /// No response varies by so many fields for a reason.
  private static let selectingLimit = 100

  /// The values of the fields that chose the response; nil where no other request could match or be matched by a validation, and in a
  /// shared cache where a secret of one user chose it.
  func selectingFields(
    of fields: HTTPFields, _ given: CacheDirectives, _ request: CacheRequest
  ) -> [SelectingField]? {
    guard case .fields(let names) = VaryNames(fields) else {
      let isAskable = EntityTag.field(of: fields).map(EntityTag.isWellFormed) ?? false
      return isAskable && !request.fields.contains("Range") ? [] : nil
    }
    if kind == .shared, names.contains(where: SecretFields.contains) { return nil }
    guard names.count <= Self.selectingLimit else { return nil }
    let isForAll = given.isPrivate != .all && (given.isPublic || given.sharedMaxAge != nil)
    let others = kind == .shared || isForAll || names.contains("authorization") ? [] : ["authorization"]
    return (names + others).map { SelectingField($0, in: request.fields) }
  }
}
