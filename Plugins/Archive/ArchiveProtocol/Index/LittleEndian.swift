/// Little-endian numbers, such as zip's (APPNOTE 4.4.1.1). Outside of the bytes they are 0; callers check bounds where it matters.
extension UnsafeRawBufferPointer {
  func number<Number: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(_: Number.Type, at position: Int) -> Number
  {
    guard position >= 0, position <= count - MemoryLayout<Number>.size else { return 0 }
    return Number(littleEndian: loadUnaligned(fromByteOffset: position, as: Number.self))
  }

  func uint16(at position: Int) -> UInt16 { number(UInt16.self, at: position) }

  func uint32(at position: Int) -> UInt32 { number(UInt32.self, at: position) }

  func uint64(at position: Int) -> UInt64 { number(UInt64.self, at: position) }
}

extension BidirectionalCollection<UInt8> {
  /// The number that these bytes are, at most eight.
  var littleEndian: UInt64 { reversed().reduce(0) { $0 << 8 | UInt64($1) } }
}

extension [UInt8] {
  /// Appends a number.
  mutating func append(littleEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}
