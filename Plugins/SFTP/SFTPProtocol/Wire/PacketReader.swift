/// Reads the fields of a packet one after another; each is checked against what is left.
struct PacketReader {
  private var rest: UnsafeRawBufferPointer

  /// Reads from `bytes`, which have to stay valid as long as the reader and the strings that it gives.
  init(_ bytes: UnsafeRawBufferPointer) {
    rest = bytes
  }

  /// Bytes that were not read yet.
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

  /// A string: a length of four bytes, then so many bytes of whatever encoding.
  mutating func string() throws(WireViolation) -> UnsafeRawBufferPointer {
    try take(Int(try uint32()))
  }

  /// All fields have been read.
  func end() throws(WireViolation) {
    guard rest.isEmpty else { throw .trailingBytes(rest.count) }
  }

  private mutating func take(_ count: Int) throws(WireViolation) -> UnsafeRawBufferPointer {
    guard count <= rest.count else { throw .truncated }
    defer { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
    return UnsafeRawBufferPointer(rebasing: rest[..<count])
  }
}
