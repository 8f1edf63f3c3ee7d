internal import URLLoadingHTTPSemantics

/// Distinguishes versions of a resource (RFC 9110 8.8): an entity tag, a modification date.
///
/// A download can be resumed and a cache entry confirmed only with one of these. A scheme without entity tags derives
/// one from properties that change with the resource.
public struct ResourceValidators: Sendable, Hashable {
  /// The entity tag, quotes and weakness mark included: `"abc"` or `W/"abc"` (RFC 9110 8.8.3).
  public var entityTag: String?

  /// When the resource was last changed, by its owner's clock.
  public var lastModified: Date?

  /// Whether no other version of the resource can have the same `lastModified` (RFC 9110 8.8.2.2). For
  /// HTTP this is so if the response was sent at least a second after that date.
  public var isLastModifiedStrong: Bool

  /// Validators; none by default.
  ///
  /// - Parameters:
  ///   - entityTag: the entity tag with its quotes.
  ///   - lastModified: the modification date.
  ///   - isLastModifiedStrong: whether the date alone tells versions apart.
  public init(entityTag: String? = nil, lastModified: Date? = nil, isLastModifiedStrong: Bool = true) {
    self.entityTag = entityTag
    self.lastModified = lastModified
    self.isLastModifiedStrong = isLastModifiedStrong
  }

  /// Whether there is neither a tag nor a date.
  public var isEmpty: Bool { entityTag == nil && lastModified == nil }

  /// Whether equal validators promise equal bytes, so that parts of two loads fit together: the entity tag
  /// is a strong one, or there is none and the date is strong.
  public var isStrong: Bool { ifRangeValue != nil }

  /// The value for an `If-Range` field (RFC 9110 13.1.5), or nil if nothing here is strong enough for it.
  /// A weak entity tag rules the date out as well.
  public var ifRangeValue: String? {
    if let entityTag {
      return Self.isStrongEntityTag(entityTag) ? entityTag : nil
    }
    guard let lastModified, isLastModifiedStrong else { return nil }
    return HTTPDate.string(from: lastModified)
  }

  /// Whether an `If-Range` field with this value holds for a resource with these validators: tags by
  /// strong comparison (RFC 9110 8.8.3.2), dates only if they are exactly the same second and strong.
  public func matches(ifRange value: String) -> Bool {
    let value = String(value.trimmingFieldWhitespace)
    if Self.isStrongEntityTag(value) {
      return value == entityTag
    }
    guard let date = HTTPDate.date(from: value, now: Date()), let lastModified, isLastModifiedStrong else {
      return false
    }
    return date.timeIntervalSince1970 == lastModified.timeIntervalSince1970.rounded(.down)
  }

  private static func isStrongEntityTag(_ tag: String) -> Bool {
    let bytes = tag.utf8
    return bytes.count >= 2 && bytes.first == UInt8(ascii: "\"") && bytes.last == UInt8(ascii: "\"")
      && bytes.dropFirst().dropLast().allSatisfy { $0 == 0x21 || $0 >= 0x23 && $0 != 0x7F }
  }
}

extension ResourceValidators {
  /// The validators in the fields of an HTTP response, whose years of two digits are near those of `now`.
  init(_ fields: HTTPFields, now: @autoclosure () -> Date = Date()) {
    let modified = fields.single("Last-Modified").agreed.flatMap { HTTPDate.date(from: $0, now: now()) }
    let sent = fields.single("Date").agreed.flatMap { HTTPDate.date(from: $0, now: now()) }
    let tagField = fields.single("ETag")
    var isStrong = false
    // Which of several entity tags is the version's is unknown, and so is whether the date is.
    if let modified, let sent, !tagField.isConflict {
      isStrong = sent.timeIntervalSince(modified) >= 1
    }
    let tag = tagField.agreed.map { String($0.trimmingFieldWhitespace) }
    self.init(
      entityTag: tag?.isEmpty == true ? nil : tag, lastModified: modified, isLastModifiedStrong: isStrong)
  }
}
