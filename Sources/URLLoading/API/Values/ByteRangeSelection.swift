/// What a protocol should send of a resource in answer to a request.
@frozen public enum ByteRangeSelection: Sendable, Hashable {
  /// All of it: the request asks for no range, or its condition does not hold.
  case whole
  /// A part. The response's `contentRange` should be this one.
  case partial(ContentRange)
  /// Nothing: the range begins beyond the end of the resource, which has so many bytes.
  case unsatisfiable(length: Int64)
}

extension URLRequest {
  /// What the request's `Range` and `If-Range` fields ask for of a resource of any scheme.
  ///
  /// By RFC 9110 14.2 and 13.1.5: only a GET has ranges; a field that is malformed or lists several
  /// ranges is ignored; with an `If-Range` that does not match, the whole resource is wanted.
  ///
  /// - Parameters:
  ///   - length: the length of the whole resource in bytes.
  ///   - validators: the validators of the resource as it is now.
  public func byteRange(ofLength length: Int64, validators: ResourceValidators) -> ByteRangeSelection {
    guard httpMethod == "GET", let field = value(forHTTPHeaderField: "Range"),
      let range = ByteRange(fieldValue: field)
    else { return .whole }
    if let condition = value(forHTTPHeaderField: "If-Range"), !validators.matches(ifRange: condition) {
      return .whole
    }
    return range.selection(ofLength: length)
  }
}
