internal import URLLoadingHTTPSemantics

/// The part of a resource that a response carries: first and last byte, both included, counted from 0,
/// and the length of the whole if it is known. What HTTP writes in `Content-Range` (RFC 9110 14.4),
/// here for every scheme.
public struct ContentRange: Sendable, Hashable {
  /// The position of the first byte of the part in the whole resource.
  public let firstByte: Int64

  /// The position of the last byte of the part, which belongs to it.
  public let lastByte: Int64

  /// The length of the whole resource in bytes, or nil if the sender does not know it.
  public let completeLength: Int64?

  /// A part of a resource.
  ///
  /// Returns nil for what cannot be: a negative position, a last byte before the first one, a part that
  /// reaches beyond the complete length or is longer than `Int64` can count.
  public init?(firstByte: Int64, lastByte: Int64, completeLength: Int64?) {
    guard firstByte >= 0, lastByte >= firstByte, lastByte < Int64.max else { return nil }
    if let completeLength, completeLength <= lastByte { return nil }
    self.firstByte = firstByte
    self.lastByte = lastByte
    self.completeLength = completeLength
  }

  /// The number of bytes in the part, at least 1.
  public var length: Int64 { lastByte - firstByte + 1 }

  /// The value of a `Content-Range` field for this part: `bytes 0-9/100`, `bytes 0-9/*`.
  public var fieldValue: String {
    "bytes \(firstByte)-\(lastByte)/" + (completeLength.map(String.init) ?? "*")
  }

  /// Reads a `Content-Range` field. Nil when it is malformed, in another unit, or `bytes */100`, which
  /// names no part.
  public init?(fieldValue: String) {
    guard let (range, length) = Self.split(fieldValue) else { return nil }
    let ends = range.split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Int64(asciiDigits: ends[0].trimmingFieldWhitespace),
      let last = Int64(asciiDigits: ends[1].trimmingFieldWhitespace)
    else { return nil }
    if length == "*" {
      self.init(firstByte: first, lastByte: last, completeLength: nil)
    } else {
      guard let complete = Int64(asciiDigits: length) else { return nil }
      self.init(firstByte: first, lastByte: last, completeLength: complete)
    }
  }

  /// The complete length in the `Content-Range: bytes */100` of a 416 response (RFC 9110 15.5.17).
  static func unsatisfiedLength(fieldValue: String) -> Int64? {
    guard let (range, length) = split(fieldValue), range == "*" else { return nil }
    return Int64(asciiDigits: length)
  }

  private static func split(_ value: String) -> (range: Substring, length: Substring)? {
    let value = value.trimmingFieldWhitespace
    guard value.hasPrefixIgnoringASCIICase("bytes"), let space = value.dropFirst(5).first,
      space == " " || space == "\t" || space == "="
    else { return nil }
    let parts = value.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    return (parts[0].trimmingFieldWhitespace, parts[1].trimmingFieldWhitespace)
  }
}
