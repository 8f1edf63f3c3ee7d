internal import URLLoadingHTTPSemantics

/// The bytes of an answer (RFC 9111, sections 3.3 and 3.4).
extension CacheRules {
  /// What of a stored response answers a request, as far as bytes go: nil where it lacks some of them.
  func bytes(of head: StoredHead, for request: CacheRequest) -> ByteRangeSelection? {
    let whole: ByteRangeSelection? = head.part == nil ? .whole : nil
    // A range is asked of what would be a 200 (RFC 9110, section 14.2).
    guard let range = request.range, [200, 206].contains(head.statusCode) else { return whole }
    if let condition = request.fields["If-Range"], !head.validators.matches(ifRange: condition) { return whole }
    guard !head.isCoded else { return nil }
    guard let part = head.part else { return range.selection(ofLength: head.bodyLength) }
    guard part.length == head.bodyLength, let wanted = Self.wanted(range, ofWhole: part.completeLength),
      wanted.firstByte >= part.firstByte, wanted.lastByte <= part.lastByte
    else { return nil }
    return .partial(wanted)
  }

  /// The bytes that a range selects of a whole whose length may be unknown; nil where that cannot be told.
  private static func wanted(_ range: ByteRange, ofWhole length: Int64?) -> ContentRange? {
    if let length {
      if case .partial(let part) = range.selection(ofLength: length) { return part }
    } else if case .positions(let first, let last) = range {
      return ContentRange(firstByte: first, lastByte: last, completeLength: nil)
    }
    return nil
  }

  /// What to ask for where no stored response has all bytes that are wanted. The rest has to be in one piece, of a whole whose length is
  /// known, and to be told from other versions by a strong validator (section 3.4).
  func completion(of matching: [Candidate], _ request: CacheRequest) -> CacheLookup {
    let best = matching.sorted { Candidate.isLess($1, $0) }.lazy.compactMap { candidate in
      missing(candidate.head, request).map { (candidate.index, $0) }
    }
    guard let (index, completion) = best.first else { return .miss(.otherPart) }
    return .complete(index, completion, .incomplete)
  }

  private func missing(_ head: StoredHead, _ request: CacheRequest) -> CacheCompletion? {
    guard request.method == "GET", !head.isCoded, let part = head.part, part.length == head.bodyLength,
      let length = part.completeLength, let condition = head.validators.ifRangeValue
    else { return nil }
    if let own = request.fields["If-Range"], !head.validators.matches(ifRange: own) { return nil }
    // A list of ranges is no range that could be completed.
    guard request.range != nil || !request.fields.contains("Range"),
      let wanted = Self.wanted(request.range ?? .from(0), ofWhole: length),
      wanted.firstByte <= part.lastByte, wanted.lastByte >= part.firstByte
    else { return nil }
    let range: ByteRange
    switch (wanted.firstByte < part.firstByte, wanted.lastByte > part.lastByte) {
    case (true, false): range = .positions(first: wanted.firstByte, last: part.firstByte - 1)
    case (false, true) where wanted.lastByte + 1 == length: range = .from(part.lastByte + 1)
    case (false, true): range = .positions(first: part.lastByte + 1, last: wanted.lastByte)
    case (true, true), (false, false): return nil
    }
    return CacheCompletion(missing: range, ifRange: condition)
  }
}
