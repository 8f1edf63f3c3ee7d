internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

/// What a newer head does to stored responses (RFC 9111, sections 3.2, 4.3.3 to 4.3.5).
extension CacheRules {
  /// Which stored responses a 304 is about (section 4.3.4), the most recent first: the first one is the answer, and all are freshened.
  /// None: it is about something that is not stored, and the request has to be made again without conditions.
  /// - Parameter stored: those that the request named, by the positions of ``CacheLookup/validate(_:_:staleIfError:_:)``.
  func selected(by notModified: CacheResponse, among stored: [StoredHead]) -> [Int] {
    let tag = EntityTag.field(of: notModified.fields)
    let validators = ResourceValidators(notModified.fields, now: stored.first?.responseDate ?? .distantPast)
    guard tag != nil || validators.lastModified != nil else {
      // It has no validator, as of a server that leaves it out: it can only be about the one that was named.
      return stored.count == 1 ? [0] : []
    }
    let isStrong = tag.map(EntityTag.isStrong) ?? validators.isLastModifiedStrong
    let matching = stored.indices.filter { Self.corresponds(stored[$0], to: tag, validators, strongly: isStrong) }
      .map { Candidate($0, stored[$0]) }.sorted { Candidate.isLess($1, $0) }.map(\.index)
    return isStrong ? matching : Array(matching.prefix(1))
  }

  /// Entity tags decide where both have one, else dates do.
  private static func corresponds(
    _ head: StoredHead, to tag: String?, _ new: ResourceValidators, strongly isStrong: Bool
  ) -> Bool {
    if let tag, let stored = EntityTag.field(of: head.fields) {
      return isStrong ? tag == stored : EntityTag.opaque(tag) == EntityTag.opaque(stored)
    }
    let old = head.validators
    guard let date = new.lastModified, date == old.lastModified else { return false }
    return !isStrong || new.isLastModifiedStrong && old.isLastModifiedStrong
  }

  /// A stored response with the fields of the 304 that confirmed it (section 3.2). ``mayKeep(_:answering:)`` says whether it may stay.
  func freshened(
    _ stored: StoredHead, by notModified: CacheResponse, requestDate: Date, responseDate: Date
  ) -> StoredHead {
    updated(stored, by: notModified.fields, requestDate: requestDate, responseDate: responseDate)
  }

  /// What an answer to HEAD does to stored responses to GET (section 4.3.5).
  enum HeadEffect: Sendable, Equatable {
    /// The response at this place has new fields.
    case updated(Int, StoredHead)
    /// The response at this place is of an older version: it is removed, or validated before it is used again.
    case stale(Int)
  }

  /// What an answer to HEAD does to the responses that are stored for its URL; nothing, unless it is a 200 that may be stored.
  func freshenedByHead(
    _ stored: [StoredHead], by response: CacheResponse, to request: CacheRequest, requestDate: Date, responseDate: Date
  ) -> [HeadEffect] {
    guard request.method == "HEAD", response.statusCode == 200, !request.directives.noStore else { return [] }
    return stored.indices.filter { stored[$0].matches(request) }.map { index in
      let head = stored[index]
      guard Self.isSameVersion(head, response.fields) else { return .stale(index) }
      let new = updated(head, by: response.fields, requestDate: requestDate, responseDate: responseDate)
      return mayKeep(new, answering: request) ? .updated(index, new) : .stale(index)
    }
  }

  /// Whether what the answer says of the version is what is stored; what it does not say is taken to be.
  private static func isSameVersion(_ head: StoredHead, _ fields: HTTPFields) -> Bool {
    guard [200, 206].contains(head.statusCode) else { return false }
    for name in ["ETag", "Last-Modified"] {
      let new = fields.single(name)
      if new == .missing { continue }
      guard let value = new.agreed?.trimmingFieldWhitespace,
        head.fields.single(name).agreed?.trimmingFieldWhitespace == value
      else { return false }
    }
    let announced = fields.single("Content-Length")
    if announced == .missing { return true }
    guard let length = announced.agreed.flatMap({ Int64(asciiDigits: $0.trimmingFieldWhitespace) }) else {
      return false
    }
    // Of a part the whole counts, if it is known, and of a body that was decoded what its field says of the coded one.
    if let part = head.part { return part.completeLength.map { $0 == length } ?? (part.lastByte < length) }
    if let stored = head.fields.single("Content-Length").agreed {
      return Int64(asciiDigits: stored.trimmingFieldWhitespace) == length
    }
    return head.isCoded || head.bodyLength == length
  }

  /// `Vary` stays: which request the response answers was fixed when it was stored (section 3.2).
  func updated(_ stored: StoredHead, by newer: HTTPFields, requestDate: Date, responseDate: Date) -> StoredHead {
    var head = stored
    let withheld = withheldNames(CacheDirectives(newer)).union(withheldNames(stored.directives))
    var fields = StoredFields(stored: stored.fields)
    let new = StoredFields(newer, withheld: withheld, responseDate: responseDate)
    fields.update(from: new, keeping: ["vary"])
    head.fields = fields.fields
    head.requestDate = requestDate
    head.responseDate = responseDate
    return head
  }
}
