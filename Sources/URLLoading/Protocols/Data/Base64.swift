internal import URLLoadingBase

/// Base64 as the WHATWG Infra Standard reads it ("forgiving-base64 decode"). Plain text is what has characters of the alphabet
/// alone, in a number that encodes whole bytes: any range of whole groups can be decoded by itself.
enum Base64 {
  /// The plain text of percent-encoded Base64: without escapes, whitespace and padding; nil for what is not Base64.
  static func plain(_ input: UnsafeRawBufferPointer) -> [UInt8]? {
    var text = PercentEncoding.decoded(input)
    text.removeAll { [0x09, 0x0A, 0x0C, 0x0D, 0x20].contains($0) }
    if text.count % 4 == 0 {
      for _ in 0..<2 where text.last == UInt8(ascii: "=") { text.removeLast() }
    }
    return text.withUnsafeBytes(isPlain) ? text : nil
  }

  static func isPlain(_ text: UnsafeRawBufferPointer) -> Bool {
    text.count % 4 != 1 && text[Base64Vector.plainPrefix(of: text)...].allSatisfy { value($0) != nil }
  }

  /// The number of bytes that plain text of a length decodes to.
  static func decodedCount(ofPlain count: Int) -> Int { count / 4 * 3 + count % 4 * 3 / 4 }

  /// The room that decoding needs: the last vector writes more bytes than it decodes.
  static func outputCapacity(ofPlain count: Int) -> Int { count / 4 * 3 + 16 }

  /// Decodes plain text.
  /// - Parameter output: room for `outputCapacity(ofPlain:)` bytes.
  static func decode(plain text: UnsafeRawBufferPointer, into output: UnsafeMutableRawPointer) {
    let steps = text.count / Base64Vector.characters
    Base64Vector.decode(
      plain: UnsafeRawBufferPointer(rebasing: text[..<(steps * Base64Vector.characters)]), into: output)
    var to = output + steps * Base64Vector.bytes
    var bits: UInt32 = 0
    var bitCount = 0
    for byte in text[(steps * Base64Vector.characters)...] {
      bits = bits << 6 | UInt32(value(byte) ?? 0)
      bitCount += 6
      guard bitCount >= 8 else { continue }
      bitCount -= 8
      to.storeBytes(of: UInt8(truncatingIfNeeded: bits >> bitCount), as: UInt8.self)
      to += 1
    }
  }

  /// The six bits of a character of the alphabet.
  private static func value(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
