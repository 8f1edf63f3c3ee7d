internal import URLLoadingHTTPSemantics

/// What a server takes of a resumable upload: its `Upload-Limit` field (draft-ietf-httpbis-resumable-upload, section 4.1.4). Sizes are in
/// bytes; what is not limited is nil.
struct UploadLimits: Equatable, Sendable {
  /// Of the whole.
  var maximumSize: Int64?
  var minimumSize: Int64?
  /// Of the body of one request.
  var maximumPartSize: Int64?
  /// Of the body of one request that is not the last.
  var minimumPartSize: Int64?
  /// How long the server keeps the upload from now on, in seconds.
  var lifetime: Int64?

  init() {}

  /// - Parameter lines: the field's.
  /// - Returns: nil without the field, or if one of its values has the wrong type: such a field is ignored.
  init?(_ lines: [String]) {
    guard !lines.isEmpty, let members = StructuredField.dictionary(lines) else { return nil }
    for (key, value) in members {
      guard let limit = Self.limits[key] else { continue }
      guard case .integer(let number) = value, number >= 0 else { return nil }
      self[keyPath: limit] = number
    }
  }

  private static var limits: [String: WritableKeyPath<UploadLimits, Int64?>] {
    [
      "max-size": \.maximumSize, "min-size": \.minimumSize, "max-append-size": \.maximumPartSize,
      "min-append-size": \.minimumPartSize, "max-age": \.lifetime,
    ]
  }

  /// What keeps a body of a length from being taken, in words; nil if nothing does.
  func refusal(ofLength length: Int64) -> String? {
    if let maximumSize, length > maximumSize {
      return "the server takes \(maximumSize) bytes at most, and the body has \(length)"
    }
    if let minimumSize, length < minimumSize {
      return "the server takes \(minimumSize) bytes at least, and the body has \(length)"
    }
    return nil
  }
}
