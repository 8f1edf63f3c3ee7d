internal import URLLoadingBase

/// A text with its percent-encoding decoded some times, and where each byte of it comes from.
struct DecodedView {
  private(set) var bytes: [UInt8]
  /// Where each byte begins in the text, and after them where the text ends.
  private var origins: [Int]
  /// Where in the text the first escape stood that the last decoding took.
  private(set) var firstDecoded: Int

  /// The text as it stands.
  init(_ text: [UInt8]) {
    bytes = text
    origins = Array(0...text.count)
    firstDecoded = text.count
  }

  /// Where the bytes from one position of the view to another stand in the text.
  func origin(of range: Range<Int>) -> Range<Int> {
    origins[range.lowerBound]..<origins[range.upperBound]
  }

  /// The view decoded once more; nil where nothing is encoded.
  func decoded() -> DecodedView? {
    var next = DecodedView([])
    next.bytes.reserveCapacity(bytes.count)
    next.origins.removeAll()
    next.origins.reserveCapacity(origins.count)
    var first: Int?
    var index = 0
    while index < bytes.count {
      next.origins.append(origins[index])
      if let byte = PercentEncoding.escapedByte(in: bytes, at: index) {
        first = first ?? origins[index]
        next.bytes.append(byte)
        index += 3
      } else {
        next.bytes.append(bytes[index])
        index += 1
      }
    }
    guard let first else { return nil }
    next.origins.append(origins[bytes.count])
    next.firstDecoded = first
    return next
  }
}
