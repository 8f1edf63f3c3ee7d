/// What the cache does about a request. Positions are those of the stored responses that it was asked with.
enum CacheLookup: Sendable, Equatable {
  /// Nothing that is stored helps: the request is sent as it is.
  case miss(CacheReason)
  /// A stored response is the answer.
  case answer(Int, CacheReason)
  /// A stored response is the answer, and a request of the cache's own validates it meanwhile (RFC 5861, section 3).
  case answerAndRevalidate(Int, ConditionalFields, CacheReason)
  /// The request is sent with these fields, which may be none. A 304 says which of the responses is the answer
  /// (``CacheRules/selected(by:among:)``); any other answer is used itself. `staleIfError`: the response that is the answer if there is
  /// no other, as far as ``CacheRules/mayAnswer(_:to:after:at:)`` says.
  case validate([Int], ConditionalFields, staleIfError: Int?, CacheReason)
  /// A stored response lacks some of the bytes: the request asks for these (RFC 9111, section 3.3). A 206 is combined with it
  /// (``CacheRules/combined(_:with:requestDate:responseDate:)``), and gives the answer then; any other answer is used itself.
  case complete(Int, CacheCompletion, CacheReason)
  /// The request may not be sent, and nothing that is stored may answer: an error. HTTP has 504 for it (section 5.2.1.7).
  case unavailable(CacheReason)

  var reason: CacheReason {
    switch self {
    case .miss(let reason), .answer(_, let reason), .answerAndRevalidate(_, _, let reason),
      .validate(_, _, staleIfError: _, let reason), .complete(_, _, let reason), .unavailable(let reason):
      reason
    }
  }

  /// The same for a request that may not be sent.
  var withoutLoading: CacheLookup {
    switch self {
    case .answer, .unavailable: self
    case .answerAndRevalidate(let index, _, let reason): .answer(index, reason)
    case .miss(let reason), .validate(_, _, staleIfError: _, let reason), .complete(_, _, let reason):
      .unavailable(reason)
    }
  }
}

/// The bytes that a stored response lacks for an answer, and the condition under which they fit (RFC 9110, section 13.1.5).
struct CacheCompletion: Sendable, Equatable {
  var missing: ByteRange
  var ifRange: String

  /// To be set on the request, in place of its own.
  var fields: [(name: String, value: String)] { [("Range", missing.fieldValue), ("If-Range", ifRange)] }
}
