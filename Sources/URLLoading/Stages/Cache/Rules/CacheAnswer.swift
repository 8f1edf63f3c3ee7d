internal import URLLoadingHTTPSemantics

/// The head of an answer from the cache, and the bytes of the stored body that belong to it.
struct CacheAnswer: Sendable, Equatable {
  var statusCode: Int
  var fields: HTTPFields
  /// Positions in the stored body.
  var bytes: Range<Int64>
}

extension CacheRules {
  /// The answer that a stored response gives; nil where it lacks some of the bytes.
  /// - Parameter isValidated: whether the source has just confirmed the response. Only one that was not confirmed has an age (RFC 9111,
  ///   section 4).
  func answer(from head: StoredHead, to request: CacheRequest, at now: Date, isValidated: Bool = false) -> CacheAnswer?
  {
    guard let selection = bytes(of: head, for: request) else { return nil }
    var answer = CacheAnswer(statusCode: head.statusCode, fields: head.fields, bytes: 0..<max(0, head.bodyLength))
    answer.fields["Transfer-Encoding"] = nil
    if !isValidated { answer.fields["Age"] = String(age(of: head, at: now)) }
    switch selection {
    case .whole: break
    case .partial(let part):
      // A part is marked as one (section 3.3).
      answer.statusCode = 206
      answer.fields["Content-Range"] = part.fieldValue
      answer.fields["Content-Length"] = String(part.length)
      let first = part.firstByte - (head.part?.firstByte ?? 0)
      answer.bytes = first..<first + part.length
    case .unsatisfiable(let length):
      answer.statusCode = 416
      answer.fields["Content-Range"] = "bytes */\(length)"
      answer.fields["Content-Length"] = "0"
      answer.fields["Content-Type"] = nil
      answer.bytes = 0..<0
    }
    return answer
  }

  /// The value of the `Age` field (section 5.1), in seconds.
  func age(of head: StoredHead, at now: Date) -> Int64 {
    Int64(Freshness(of: head, head.directives, in: kind, at: now).age)
  }
}
