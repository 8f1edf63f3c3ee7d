/// Where a load that broke off can be resumed. The retries of loads and the command go by it.
package struct Resumption: Equatable, Sendable {
  /// The position of the first byte of the output in the resource.
  package let start: Int64
  /// The position of the last byte that is wanted; nil for all.
  package let last: Int64?
  /// The length of the whole resource in bytes, where it is known.
  package let completeLength: Int64?
  /// What tells that the resource is still the same.
  package let validators: ResourceValidators

  package init(start: Int64, last: Int64?, completeLength: Int64?, validators: ResourceValidators) {
    self.start = start
    self.last = last
    self.completeLength = completeLength
    self.validators = validators
  }

  /// Nil where a load of this response cannot be resumed: no ranges, no strong validators, or a coded body, whose positions are
  /// not the resource's.
  /// - Parameter isPart: whether a part was asked for.
  package init?(_ response: URLResponse, isPart: Bool) {
    let http = response as? HTTPURLResponse
    // Some servers send a part with status 200.
    let range = isPart ? http?.answeredRange ?? response.contentRange : response.contentRange
    guard response.acceptsByteRanges || range != nil, response.validators.isStrong else { return nil }
    // A multipart answer has several positions.
    if let http {
      guard http.statusCode == 200 || http.statusCode == 206 && range != nil, http.contentCoding == nil else {
        return nil
      }
    }
    validators = response.validators
    start = range?.firstByte ?? 0
    last = isPart ? range?.lastByte : nil
    let whole = response.expectedContentLength
    completeLength = range == nil ? (whole < 0 ? nil : whole) : range?.completeLength
  }

  /// What to ask for after `count` bytes; nil where nothing is missing.
  package func expectation(after count: Int64) -> RangeExpectation? {
    let first = start + count
    let end = last.map { $0 + 1 } ?? completeLength
    if let end, first >= end { return nil }
    return RangeExpectation(
      range: last.map { .positions(first: first, last: $0) } ?? .from(first), completeLength: completeLength,
      validators: validators)
  }
}

extension RangeExpectation {
  /// What a request asks for by its fields; nil where it asks for several ranges, or for others than of bytes.
  package init?(_ request: URLRequest) {
    let field = request.value(forHTTPHeaderField: "Range")
    let range = field.flatMap(ByteRange.init(fieldValue:))
    guard field == nil || range != nil else { return nil }
    self.init(range: range)
  }

  /// Sets `Range` and `If-Range` (RFC 9110, section 13.1.5).
  package func apply(to request: inout URLRequest) {
    request.setValue(range?.fieldValue, forHTTPHeaderField: "Range")
    request.setValue(validators.ifRangeValue, forHTTPHeaderField: "If-Range")
  }
}
