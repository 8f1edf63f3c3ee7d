/// A text with its percent-encoding decoded some times, and where each byte of it comes from.
struct DecodedView {
  private(set) var bytes: [UInt8]
  /// Where each byte begins in the text, and behind them where the text ends.
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
      if bytes[index] == UInt8(ascii: "%"), let byte = escaped(behind: index) {
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

  /// RFC 3986, section 2.1.
  private func escaped(behind percent: Int) -> UInt8? {
    guard percent + 2 < bytes.count, let high = Self.digit(bytes[percent + 1]), let low = Self.digit(bytes[percent + 2])
    else { return nil }
    return high << 4 | low
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
