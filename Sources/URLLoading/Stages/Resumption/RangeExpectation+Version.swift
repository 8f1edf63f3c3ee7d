internal import URLLoadingHTTPSemantics

/// Whether a part is of the known version.
extension RangeExpectation {
  /// Parts may be combined if they share a strong validator (RFC 9110, section 15.3.7.3). A server without `If-Range` answers with a part
  /// of any version.
  func versionContradiction(_ part: ContentRange, _ response: URLResponse) -> Contradiction? {
    difference(response.validators, completeLength: part.completeLength).map { Contradiction(.version, $0) }
  }

  /// Nothing but a strong validator tells that a part under the status of the whole is of the known version: the server does not follow the
  /// rules for parts, so that it may not have looked at `If-Range` either.
  func unmarkedContradiction(_ part: ContentRange, _ response: URLResponse) -> Contradiction? {
    guard part.completeLength != nil else {
      return Contradiction(
        .range, "\"\(part.fieldValue)\" in an answer with status 200 does not tell the length of the whole")
    }
    guard let validator = response.validators.ifRangeValue, validators.isEmpty || validator == validators.ifRangeValue
    else {
      return Contradiction(.version, "it has status 200, and no strong validator that tells its version")
    }
    return nil
  }

  private func difference(_ new: ResourceValidators, completeLength: Int64?) -> String? {
    if let known = self.completeLength {
      if let completeLength {
        guard completeLength == known else { return "it had \(known) bytes, and now has \(completeLength)" }
      } else if !validators.isStrong {
        return "the answer does not tell the length of the whole, and nothing else tells versions apart"
      }
    }
    if let tag = validators.entityTag {
      guard let newTag = new.entityTag else {
        // A part repeats the entity tag (RFC 9110, section 15.3.7).
        return validators.isStrong ? "the answer lacks the entity tag \(tag)" : nil
      }
      guard tag == newTag else { return "its entity tag was \(tag), and is now \(newTag)" }
      if validators.isStrong { return nil }
    }
    // A date need not be repeated by the answer to a request that had it as its condition (RFC 9110, section 15.3.7).
    guard let date = validators.lastModified, let newDate = new.lastModified else { return nil }
    return Self.second(date) == Self.second(newDate)
      ? nil : "it was last modified at \(HTTPDate.string(from: date)), and now at \(HTTPDate.string(from: newDate))"
  }

  private static func second(_ date: Date) -> Double { date.timeIntervalSince1970.rounded(.down) }
}
