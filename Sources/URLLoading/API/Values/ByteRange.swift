internal import URLLoadingHTTPSemantics

/// One range of bytes as a request asks for it in a `Range` field (RFC 9110 14.1.2).
@frozen public enum ByteRange: Sendable, Hashable {
  /// From one position to another, both included: `bytes=0-9`.
  case positions(first: Int64, last: Int64)
  /// From a position to the end: `bytes=5-`.
  case from(Int64)
  /// The last so many bytes: `bytes=-5`.
  case suffix(length: Int64)

  /// Reads the value of a `Range` field.
  ///
  /// Nil when it is malformed, asks for several ranges or for another unit than bytes: a request with
  /// such a field gets the whole resource (RFC 9110 14.2). A position too large for `Int64` counts as the
  /// largest there is, since no resource reaches it.
  public init?(fieldValue: String) {
    let value = fieldValue.trimmingFieldWhitespace
    guard value.hasPrefixIgnoringASCIICase("bytes=") else { return nil }
    let ends = value.dropFirst(6).trimmingFieldWhitespace.split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy(\.isASCIIDigit) }) else { return nil }
    let first = ends[0].isEmpty ? nil : Int64(asciiDigits: ends[0]) ?? .max
    let last = ends[1].isEmpty ? nil : Int64(asciiDigits: ends[1]) ?? .max
    switch (first, last) {
    case (let first?, let last?):
      guard first <= last else { return nil }
      self = .positions(first: first, last: last)
    case (let first?, nil): self = .from(first)
    case (nil, let length?): self = .suffix(length: length)
    case (nil, nil): return nil
    }
  }

  /// The value of a `Range` field that asks for this range.
  public var fieldValue: String {
    switch self {
    case .positions(let first, let last): "bytes=\(first)-\(last)"
    case .from(let first): "bytes=\(first)-"
    case .suffix(let length): "bytes=-\(length)"
    }
  }

  /// What the range selects of a resource of so many bytes (RFC 9110 14.1.2): its end is cut to the
  /// resource's; a range that begins at or after the end, and the last 0 bytes, cannot be satisfied.
  public func selection(ofLength length: Int64) -> ByteRangeSelection {
    let length = max(0, length)
    let bounds: (first: Int64, last: Int64)
    switch self {
    case .positions(let first, let last): bounds = (first, min(last, length - 1))
    case .from(let first): bounds = (first, length - 1)
    case .suffix(let count):
      guard count > 0 else { return .unsatisfiable(length: length) }
      // The last bytes of an empty resource are all of it, and no Content-Range can say so.
      guard length > 0 else { return .whole }
      bounds = (max(0, length - min(count, length)), length - 1)
    }
    guard let range = ContentRange(firstByte: bounds.first, lastByte: bounds.last, completeLength: length)
    else { return .unsatisfiable(length: length) }
    return .partial(range)
  }
}
