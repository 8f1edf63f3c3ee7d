/// A UTF-8 sequence of two to four bytes that is being read (RFC 3629 section 4).
@usableFromInline
@frozen struct UTF8Sequence {
  /// The scalar's bits so far.
  @usableFromInline private(set) var value: UInt32
  /// How many bytes are still to come.
  @usableFromInline private(set) var missing: Int
  /// What the next byte may be. Only the second byte's range depends on the first: this is what excludes overlong
  /// forms, surrogates and values above U+10FFFF.
  private var allowed: ClosedRange<UInt8> = 0x80...0xBF

  /// Starts a sequence; nil when no sequence starts with `leadByte`.
  @usableFromInline
  init?(leadByte: UInt8) {
    switch leadByte {
    case 0xC2...0xDF:
      (value, missing) = (UInt32(leadByte & 0x1F), 1)
    case 0xE0...0xEF:
      (value, missing) = (UInt32(leadByte & 0x0F), 2)
      if leadByte == 0xE0 { allowed = 0xA0...0xBF }
      if leadByte == 0xED { allowed = 0x80...0x9F }
    case 0xF0...0xF4:
      (value, missing) = (UInt32(leadByte & 0x07), 3)
      if leadByte == 0xF0 { allowed = 0x90...0xBF }
      if leadByte == 0xF4 { allowed = 0x80...0x8F }
    default:
      return nil
    }
  }

  /// Adds the next byte; false when it cannot stand there.
  @usableFromInline
  mutating func append(_ byte: UInt8) -> Bool {
    guard allowed.contains(byte) else { return false }
    value = value << 6 | UInt32(byte & 0x3F)
    missing -= 1
    allowed = 0x80...0xBF
    return true
  }
}
