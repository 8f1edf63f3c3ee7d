internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

/// A part under the status of the whole: what some servers answer to a request for a range.
///
/// `Content-Range` means nothing in such a response (RFC 9110, section 14.4), and where no range was asked for, nothing is made of it. But
/// whoever answers a request for a range by 200 and names bytes from the middle of the resource has sent these, and not the whole.
enum UnmarkedPart: Equatable {
  case bytes(ContentRange)
  /// It says that it is no whole, and not which part.
  case unnamed

  /// Nil where the response carries the whole, or a coded form, whose bytes have other positions.
  /// - Parameters:
  ///   - fields: those of the answer to a request for a range.
  ///   - isCoded: whether the body has a content coding.
  init?(statusCode: Int, _ fields: HTTPFields, isCoded: Bool) {
    guard statusCode == 200 || statusCode == 203, !isCoded else { return nil }
    switch fields.single("Content-Range") {
    case .missing: return nil
    case .value(let value):
      let length = fields.single("Content-Length").agreed.flatMap { Int64(asciiDigits: $0.trimmingFieldWhitespace) }
      guard let found = Self(value, bodyLength: length) else { return nil }
      self = found
    case .conflict(let values):
      guard values.contains(where: { Self($0, bodyLength: nil) != nil }) else { return nil }
      self = .unnamed
    }
  }

  private init?(_ fieldValue: String, bodyLength: Int64?) {
    if let part = ContentRange(fieldValue: fieldValue) {
      // What begins with the first byte may be the whole; its length tells.
      let isBeginning = part.completeLength.map { part.length < $0 } == true && bodyLength == part.length
      guard part.firstByte > 0 || isBeginning else { return nil }
      self = .bytes(part)
    } else {
      guard let length = ContentRange.unsatisfiedLength(fieldValue: fieldValue), length != bodyLength else {
        return nil
      }
      self = .unnamed
    }
  }
}

extension HTTPURLResponse {
  /// What follows in answer to a request for a range, if it is a part under the status of the whole.
  var unmarkedPart: UnmarkedPart? {
    UnmarkedPart(statusCode: statusCode, fields, isCoded: contentCoding != nil)
  }

  /// The bytes that follow in answer to a request for a range; nil for the whole.
  package var answeredRange: ContentRange? {
    if case .bytes(let range) = unmarkedPart { range } else { contentRange }
  }
}
