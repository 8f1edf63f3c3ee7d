extension UInt8 {
  /// The byte in lower case if it is an upper case ASCII letter.
  @inlinable package var asciiLowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

  /// A character of a token (RFC 9110, section 5.6.2).
  @inlinable package var isTokenCharacter: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x21, 0x23, 0x24, 0x25, 0x26, 0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
    default: false
    }
  }
}

extension StringProtocol {
  /// Whether both are the same but for the case of ASCII letters.
  // Header fields are looked up a dozen times a response, and most names differ in their length, which takes no call.
  @inlinable @inline(__always)
  package func equalsIgnoringASCIICase(_ other: some StringProtocol) -> Bool {
    utf8.count == other.utf8.count && hasSameBytesIgnoringASCIICase(as: other)
  }

  /// The same of another string of the same length. The bytes are compared in place where they are contiguous.
  @inlinable
  package func hasSameBytesIgnoringASCIICase(as other: some StringProtocol) -> Bool {
    let left = utf8
    let right = other.utf8
    let result = left.withContiguousStorageIfAvailable { left in
      right.withContiguousStorageIfAvailable { right in
        var index = 0
        while index < left.count {
          guard left[index].asciiLowercased == right[index].asciiLowercased else { return false }
          index += 1
        }
        return true
      }
    }
    return (result ?? nil) ?? zip(left, right).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
  }

  /// Whether this begins with `prefix`, but for the case of ASCII letters.
  @inlinable
  package func hasPrefixIgnoringASCIICase(_ prefix: String) -> Bool {
    utf8.count >= prefix.utf8.count
      && zip(utf8, prefix.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
  }

  /// Without spaces and tabs at both ends (RFC 9110, section 5.6.3).
  @inlinable package var trimmingFieldWhitespace: Substring {
    // By bytes: a combining mark that follows a space makes one character with it.
    var result = Substring(self).utf8
    while let first = result.first, first == 0x20 || first == 0x09 { result.removeFirst() }
    while let last = result.last, last == 0x20 || last == 0x09 { result.removeLast() }
    return Substring(result)
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Without spaces and tabs at both ends (RFC 9110, section 5.6.3).
  @inlinable package var trimmingFieldWhitespace: UnsafeBufferPointer<UInt8> {
    var start = 0
    var end = count
    while start < end, self[start] == 0x20 || self[start] == 0x09 { start += 1 }
    while end > start, self[end - 1] == 0x20 || self[end - 1] == 0x09 { end -= 1 }
    return UnsafeBufferPointer(rebasing: self[start..<end])
  }

  /// Whether this begins with `prefix`, which is in lower case, but for the case of ASCII letters.
  @inlinable
  package func hasPrefixIgnoringASCIICase(_ prefix: StaticString) -> Bool {
    guard count >= prefix.utf8CodeUnitCount else { return false }
    for index in 0..<prefix.utf8CodeUnitCount where self[index].asciiLowercased != prefix.utf8Start[index] {
      return false
    }
    return true
  }
}
