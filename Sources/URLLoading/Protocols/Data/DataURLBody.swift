internal import URLLoadingBase

/// The body of a `data:` URL, decoded a range at a time.
struct DataURLBody: Sendable {
  /// The bytes of the body, or its plain Base64 (see ``Base64``).
  private enum Text {
    /// As it stands in the URL.
    case inURL(String, offset: Int)
    /// Without escapes and whitespace that it has in the URL.
    case cleaned([UInt8])
  }

  /// 192 KiB: with as much text, the size of a common second-level cache.
  static let largestPiece = 192 << 10

  private let text: Text
  private let textCount: Int
  private let isBase64: Bool

  /// The number of bytes of the decoded body.
  var count: Int { isBase64 ? Base64.decodedCount(ofPlain: textCount) : textCount }

  /// Checks the body in `range` of the UTF-8 bytes of `url`; nil when it is not the Base64 it should be.
  init?(url: String, range: Range<Int>, isBase64: Bool) {
    let (cleaned, count) = url.withBytes { bytes -> ([UInt8]?, Int) in
      let body = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[range])
      guard isBase64 else {
        return body.contains(UInt8(ascii: "%")) ? (PercentEncoding.decoded(body), 0) : (nil, body.count)
      }
      var length = body.count
      if length % 4 == 0 {
        for _ in 0..<2 where length > 0 && body[length - 1] == UInt8(ascii: "=") { length -= 1 }
      }
      return Base64.isPlain(UnsafeRawBufferPointer(rebasing: body[..<length]))
        ? (nil, length) : (Base64.plain(body), -1)
    }
    guard cleaned != nil || count >= 0 else { return nil }
    text = cleaned.map { .cleaned($0) } ?? .inURL(url, offset: range.lowerBound)
    textCount = cleaned?.count ?? count
    self.isBase64 = isBase64
  }

  /// Calls `use` with the first bytes of a range, which is clamped to the body: at most ``largestPiece`` of them. The memory is
  /// valid during the call only.
  ///
  /// - Returns: how many bytes; 0 where the range has none.
  func withPiece(of range: Range<Int>, _ use: (UnsafeRawBufferPointer) -> Void) throws(POSIXError) -> Int {
    let start = max(0, range.lowerBound)
    let end = min(range.upperBound, count, start + Self.largestPiece)
    guard start < end else { return 0 }
    guard isBase64 else {
      withText(start..<end, use)
      return end - start
    }
    let groups = start / 3..<(end + 2) / 3
    let encoded = groups.lowerBound * 4..<min(groups.upperBound * 4, textCount)
    guard let block = BodyMemory.shared.take(atLeast: Base64.outputCapacity(ofPlain: encoded.count)) else {
      throw POSIXError(.ENOMEM)
    }
    defer { BodyMemory.shared.recycle(block) }
    withText(encoded) { Base64.decode(plain: $0, into: block.start) }
    use(UnsafeRawBufferPointer(start: block.start + (start - groups.lowerBound * 3), count: end - start))
    return end - start
  }

  private func withText(_ range: Range<Int>, _ use: (UnsafeRawBufferPointer) -> Void) {
    switch text {
    case .inURL(let url, let offset):
      url.withBytes { bytes in
        let range = offset + range.lowerBound..<offset + range.upperBound
        use(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[range]))
      }
    case .cleaned(let bytes): bytes.withUnsafeBytes { use(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }
  }
}
