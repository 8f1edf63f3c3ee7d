/// Reads the fields of a packet one after another; each is checked against what is left.
struct PacketReader {
  private var rest: UnsafeRawBufferPointer

  /// - Parameter bytes: have to stay valid as long as the reader and its strings.
  init(_ bytes: UnsafeRawBufferPointer) {
    rest = bytes
  }

  var remainingCount: Int { rest.count }

  mutating func uint8() throws(WireViolation) -> UInt8 {
    try take(1)[0]
  }

  mutating func uint32() throws(WireViolation) -> UInt32 {
    UInt32(bigEndian: try take(4).loadUnaligned(as: UInt32.self))
  }

  mutating func uint64() throws(WireViolation) -> UInt64 {
    UInt64(bigEndian: try take(8).loadUnaligned(as: UInt64.self))
  }

  /// A string of any encoding: four bytes of length, and the bytes.
  mutating func string() throws(WireViolation) -> UnsafeRawBufferPointer {
    try take(Int(try uint32()))
  }

  /// Checks that all fields have been read.
  func end() throws(WireViolation) {
    guard rest.isEmpty else { throw .trailingBytes(rest.count) }
  }

  private mutating func take(_ count: Int) throws(WireViolation) -> UnsafeRawBufferPointer {
    guard count <= rest.count else { throw .truncated }
    defer { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
    return UnsafeRawBufferPointer(rebasing: rest[..<count])
  }
}
