/// Validates UTF-8 (RFC 3629) piece by piece, at the first byte that cannot be part of it.
struct WebSocketTextValidator {
  /// Continuation bytes that the current character still needs.
  private var needed = 0
  /// What the next of them may be.
  private var lower: UInt8 = 0x80
  private var upper: UInt8 = 0xBF

  /// No character is cut off at this point.
  var isComplete: Bool { needed == 0 }

  /// Takes more of the text.
  /// - Returns: false where it is not one.
  mutating func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index < bytes.count {
      if needed == 0 {
        // Eight ASCII characters at a time.
        while index + 8 <= bytes.count,
          bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        {
          index += 8
        }
        guard index < bytes.count else { return true }
      }
      guard take(bytes[index]) else { return false }
      index += 1
    }
    return true
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    if needed > 0 {
      guard byte >= lower, byte <= upper else { return false }
      (lower, upper) = (0x80, 0xBF)
      needed -= 1
      return true
    }
    switch byte {
    case 0x00...0x7F: return true
    case 0xC2...0xDF: needed = 1
    case 0xE0...0xEF:
      needed = 2
      // No overlong forms, no surrogates.
      if byte == 0xE0 { lower = 0xA0 }
      if byte == 0xED { upper = 0x9F }
    case 0xF0...0xF4:
      needed = 3
      // No overlong forms, nothing above U+10FFFF.
      if byte == 0xF0 { lower = 0x90 }
      if byte == 0xF4 { upper = 0x8F }
    default: return false
    }
    return true
  }
}
