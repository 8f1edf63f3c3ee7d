internal import URLLoadingHTTPSemantics

/// Parts of one representation that become one (RFC 9111, section 3.4).
extension CacheRules {
  /// A stored response with the bytes of a part that came: nil where they do not fit, since the part is of another version or another
  /// length, or leaves a gap. The head of the result says by `part` where its body begins: the new bytes belong at the first byte of the
  /// part less that.
  func combined(
    _ stored: StoredHead, with response: CacheResponse, requestDate: Date, responseDate: Date
  ) -> StoredHead? {
    guard let old = stored.part, old.length == stored.bodyLength, let new = response.contentRange, !stored.isCoded,
      !response.isCoded,
      Self.areOfOneVersion(stored, response, now: responseDate), let union = Self.union(old, new)
    else { return nil }
    var head = updated(stored, by: response.fields, requestDate: requestDate, responseDate: responseDate)
    head.fields["Content-Length"] = String(union.length)
    head.fields["Transfer-Encoding"] = nil
    head.bodyLength = union.length
    // RFC 9110, section 15.3.7.3: a whole is a 200, anything else a 206.
    let isWhole = union.length == union.completeLength
    head.statusCode = isWhole ? 200 : 206
    head.part = isWhole ? nil : union
    head.fields["Content-Range"] = isWhole ? nil : union.fieldValue
    return head
  }

  /// Whether both have the same strong validator. A date need not be repeated in the answer to an `If-Range` that has it (RFC 9110, section
  /// 15.3.7), an entity tag has to.
  private static func areOfOneVersion(_ stored: StoredHead, _ response: CacheResponse, now: Date) -> Bool {
    let (old, new) = (stored.validators, ResourceValidators(response.fields, now: now))
    guard old.isStrong else { return false }
    if let tag = old.entityTag { return tag == new.entityTag }
    return new.entityTag == nil && (new.lastModified == nil || new.lastModified == old.lastModified)
  }

  private static func union(_ old: ContentRange, _ new: ContentRange) -> ContentRange? {
    if let known = old.completeLength, let told = new.completeLength, known != told { return nil }
    // They touch or overlap.
    guard new.firstByte <= old.lastByte + 1, old.firstByte <= new.lastByte + 1 else { return nil }
    return ContentRange(
      firstByte: min(old.firstByte, new.firstByte), lastByte: max(old.lastByte, new.lastByte),
      completeLength: old.completeLength ?? new.completeLength)
  }
}
