/// The forgiving Base64 decoder of the WHATWG Infra Standard, section "forgiving-base64 decode".
///
/// ASCII whitespace is skipped, padding may be missing, bits left over in the last group are dropped. Input comes in
/// pieces; with `percentDecoding` the escapes of RFC 3986 section 2.1 are decoded on the way, so that the body of a
/// `data:` URL needs no intermediate copy.
///
/// Runs of plain alphabet bytes are decoded by `Base64Vector`; whitespace, escapes and padding go through one state machine
/// byte by byte, which hands back to the fast path as soon as a group is complete.
struct Base64Decoder {
  /// Whether `%` starts an escape. An incomplete or wrong escape stands for itself, and so makes the input invalid.
  let percentDecoding: Bool

  /// The 6-bit values of the group that is not complete yet, first byte highest.
  private var group: UInt32 = 0
  private var groupCount = 0
  private var paddingCount = 0
  /// What was read of an escape: 0 nothing, 1 the percent sign, 2 the first digit too.
  private var escapeCount = 0
  private var escapeHigh: UInt8 = 0
  private var isInvalid = false

  /// Creates a decoder at the start of its input.
  init(percentDecoding: Bool = false) {
    self.percentDecoding = percentDecoding
  }

  /// The most bytes that `count` bytes of input can add to the output, with room for the fast path's wide stores.
  static func outputCapacity(forInput count: Int) -> Int { count / 4 * 3 + 16 }

  /// Decodes one piece of the input.
  ///
  /// - Parameter output: room for `outputCapacity(forInput:)` bytes.
  /// - Returns: the number of bytes written, or nil when the input so far is not Base64.
  mutating func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawPointer) -> Int? {
    guard !isInvalid else { return nil }
    guard let start = input.baseAddress, input.count > 0 else { return 0 }
    let end = start + input.count
    var source = start
    var target = output
    Base64Tables.shared.withUnsafeBufferPointer { tables in
      guard let table = tables.baseAddress else { return }
      while source < end {
        if groupCount == 0, paddingCount == 0, escapeCount == 0 {
          Self.decodeRun(&source, end, &target, table)
          if source == end { break }
        }
        let byte = source.load(as: UInt8.self)
        source += 1
        consume(byte, &target, table)
        if isInvalid { break }
      }
    }
    return isInvalid ? nil : target - output
  }

  /// Ends the input.
  ///
  /// - Parameter output: room for two bytes.
  /// - Returns: the number of bytes written, or nil when the input as a whole is not Base64.
  mutating func finish(into output: UnsafeMutableRawPointer) -> Int? {
    guard !isInvalid, escapeCount == 0, groupCount != 1 else { return nil }
    // Padding only ever completes a group of four.
    guard paddingCount == 0 || groupCount + paddingCount == 4 else { return nil }
    defer { groupCount = 0 }
    switch groupCount {
    case 2:
      output.storeBytes(of: UInt8(truncatingIfNeeded: group >> 4), as: UInt8.self)
      return 1
    case 3:
      output.storeBytes(of: UInt8(truncatingIfNeeded: group >> 10), as: UInt8.self)
      output.storeBytes(of: UInt8(truncatingIfNeeded: group >> 2), toByteOffset: 1, as: UInt8.self)
      return 2
    default:
      return 0
    }
  }

  /// Decodes whole groups until one holds anything but alphabet bytes.
  ///
  /// Each step stores more bytes than it decodes; `outputCapacity` has room for that, the next store covers them.
  private static func decodeRun(
    _ source: inout UnsafeRawPointer, _ end: UnsafeRawPointer, _ target: inout UnsafeMutableRawPointer,
    _ table: UnsafePointer<UInt32>
  ) {
    var from = source
    var to = target
    while end - from >= Base64Vector.characters {
      // As much as the nearest cache has room for is looked at, then decoded.
      let text = UnsafeRawBufferPointer(start: from, count: min(end - from, 8192))
      let count = Base64Vector.plainPrefix(of: text)
      Base64Vector.decode(plain: UnsafeRawBufferPointer(rebasing: text[..<count]), into: to)
      from += count
      to += count / 4 * 3
      if count < text.count { break }
    }
    while end - from >= 4 {
      let value = group(from.loadUnaligned(as: UInt32.self).littleEndian, table)
      guard value & Base64Tables.invalid == 0 else { break }
      to.storeBytes(of: value.littleEndian, as: UInt32.self)
      from += 4
      to += 3
    }
    source = from
    target = to
  }

  /// Three output bytes, the first lowest, from four alphabet bytes.
  @inline(__always)
  private static func group(_ word: UInt32, _ table: UnsafePointer<UInt32>) -> UInt32 {
    table[Int(word & 0xFF)]
      | table[256 + Int(word >> 8 & 0xFF)]
      | table[512 + Int(word >> 16 & 0xFF)]
      | table[768 + Int(word >> 24)]
  }

  /// The slow path: one byte of any kind.
  private mutating func consume(
    _ byte: UInt8, _ target: inout UnsafeMutableRawPointer, _ table: UnsafePointer<UInt32>
  ) {
    guard percentDecoding else { return accept(byte, &target, table) }
    switch escapeCount {
    case 0 where byte == UInt8(ascii: "%"):
      escapeCount = 1
    case 0:
      accept(byte, &target, table)
    case 1:
      // A percent sign that starts no escape stands for itself, and it is not in the alphabet.
      guard let high = hexadecimalValue(byte) else { return isInvalid = true }
      escapeHigh = high
      escapeCount = 2
    default:
      guard let low = hexadecimalValue(byte) else { return isInvalid = true }
      escapeCount = 0
      accept(escapeHigh << 4 | low, &target, table)
    }
  }

  private mutating func accept(_ byte: UInt8, _ target: inout UnsafeMutableRawPointer, _ table: UnsafePointer<UInt32>) {
    switch byte {
    case 0x09, 0x0A, 0x0C, 0x0D, 0x20:
      return
    case UInt8(ascii: "="):
      paddingCount += 1
      if paddingCount > 2 { isInvalid = true }
    default:
      // The last table holds the 6-bit value in its top byte, behind the two bits that byte 2 gets.
      let value = table[768 + Int(byte)]
      guard value & Base64Tables.invalid == 0, paddingCount == 0 else { return isInvalid = true }
      group = group << 6 | value >> 16
      groupCount += 1
      guard groupCount == 4 else { return }
      target.storeBytes(of: UInt8(truncatingIfNeeded: group >> 16), as: UInt8.self)
      target.storeBytes(of: UInt8(truncatingIfNeeded: group >> 8), toByteOffset: 1, as: UInt8.self)
      target.storeBytes(of: UInt8(truncatingIfNeeded: group), toByteOffset: 2, as: UInt8.self)
      target += 3
      group = 0
      groupCount = 0
    }
  }
}
