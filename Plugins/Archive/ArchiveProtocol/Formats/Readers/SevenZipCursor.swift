/// Reads the numbers and bits of a 7z header (7zFormat.txt of the LZMA SDK); throws ``Malformed`` at its end.
struct SevenZipCursor {
  struct Malformed: Error {}

  private let bytes: [UInt8]
  private(set) var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var remaining: Int { bytes.count - position }

  mutating func byte() throws -> UInt8 {
    guard position < bytes.count else { throw Malformed() }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func take(_ count: Int) throws -> ArraySlice<UInt8> {
    guard count >= 0, count <= remaining else { throw Malformed() }
    defer { position += count }
    return bytes[position..<(position + count)]
  }

  /// A number of one to nine bytes: the leading ones of the first byte count those that follow, the least significant first.
  mutating func number() throws -> Int {
    let first = try byte()
    let following = (~first).leadingZeroBitCount
    var value: UInt64 = 0
    for index in 0..<following { value |= UInt64(try byte()) << UInt64(8 * index) }
    if following < 7 { value |= UInt64(first & (0x7f >> UInt8(following))) << UInt64(8 * following) }
    guard let number = Int(exactly: value) else { throw Malformed() }
    return number
  }

  /// A count of members, or of what takes memory as they do.
  /// - Parameter share: how many of these a member can have.
  mutating func count(within limits: ArchiveConfiguration, share: Int = 1) throws -> Int {
    let number = try number()
    try limits.check(members: UInt64(number / share))
    guard number <= SevenZipLayout.maximumCount else { throw Malformed() }
    return number
  }

  mutating func bits(_ count: Int) throws -> [Bool] {
    guard count <= remaining * 8 else { throw Malformed() }
    var result: [Bool] = []
    result.reserveCapacity(count)
    var current: UInt8 = 0
    for index in 0..<count {
      if index & 7 == 0 { current = try byte() }
      result.append(current & (0x80 >> UInt8(index & 7)) != 0)
    }
    return result
  }

  /// CRCs of some of `count` items; libarchive checks their values.
  /// - Returns: which items have one.
  mutating func digests(_ count: Int) throws -> [Bool] {
    let areAllDefined = try byte() != 0
    let defined = areAllDefined ? Array(repeating: true, count: count) : try bits(count)
    _ = try take(defined.count { $0 } * 4)
    return defined
  }
}
