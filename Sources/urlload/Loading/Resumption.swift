import URLLoading

/// Where a load that broke off can go on.
struct Resumption: Equatable, Sendable {
  /// The position of the first byte of the output in the resource.
  let start: Int64
  /// The position of the last byte that is wanted; nil for all.
  let last: Int64?
  /// What tells that the resource is still the same: the value of `If-Range` (RFC 9110, section 13.1.5).
  let validator: String

  /// Nil where a load of this response could not go on: no ranges, nothing to tell versions apart, or a coded
  /// body, whose positions say nothing about the resource's.
  init?(_ response: URLResponse, range: ByteRange?) {
    guard response.acceptsByteRanges, let validator = response.validators.ifRangeValue else { return nil }
    if let response = response as? HTTPURLResponse {
      guard response.statusCode == 200 || response.statusCode == 206,
        response.value(forHTTPHeaderField: "Content-Encoding").map({ $0.lowercased() == "identity" }) ?? true
      else { return nil }
    }
    self.validator = validator
    start = response.contentRange?.firstByte ?? 0
    last = range == nil ? nil : response.contentRange?.lastByte
  }

  /// Asks for what is missing after `count` bytes.
  func apply(to request: inout URLRequest, count: Int64) {
    let first = start + count
    let range = last.map { ByteRange.positions(first: first, last: max(first, $0)) } ?? .from(first)
    request.setValue(range.fieldValue, forHTTPHeaderField: "Range")
    request.setValue(validator, forHTTPHeaderField: "If-Range")
  }

  /// Whether a response carries on after `count` bytes.
  func continues(with response: URLResponse, count: Int64) -> Bool {
    response.contentRange?.firstByte == start + count
  }
}
