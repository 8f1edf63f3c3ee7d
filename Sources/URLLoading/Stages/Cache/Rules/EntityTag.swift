internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

/// How entity tags compare (RFC 9110, section 8.8.3.2).
enum EntityTag {
  /// The value of the `ETag` field, well-formed or not: who sent it may recognize it. Nil where it is missing or empty, and where there are
  /// several that differ.
  static func field(of fields: HTTPFields) -> String? {
    guard let field = fields.single("ETag").agreed?.trimmingFieldWhitespace, !field.isEmpty else { return nil }
    return String(field)
  }

  /// Without the mark of weakness: two are equivalent by weak comparison if these are the same.
  static func opaque(_ tag: String) -> Substring {
    tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
  }

  /// Whether it promises equal bytes.
  static func isStrong(_ tag: String) -> Bool {
    ResourceValidators(entityTag: tag).isStrong
  }

  /// Whether it can stand in a list.
  static func isWellFormed(_ tag: String) -> Bool {
    isStrong(String(opaque(tag)))
  }
}
