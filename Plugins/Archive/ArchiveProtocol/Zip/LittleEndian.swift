/// Numbers in zip's byte order (APPNOTE 4.4.1.1). Outside of the bytes everything is 0: whoever needs to know has checked.
extension UnsafeRawBufferPointer {
  @inline(__always)
  func number<Number: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(_: Number.Type, at position: Int) -> Number
  {
    guard position >= 0, position <= count - MemoryLayout<Number>.size else { return 0 }
    return Number(littleEndian: loadUnaligned(fromByteOffset: position, as: Number.self))
  }

  @inline(__always)
  func uint16(at position: Int) -> UInt16 { number(UInt16.self, at: position) }

  @inline(__always)
  func uint32(at position: Int) -> UInt32 { number(UInt32.self, at: position) }

  @inline(__always)
  func uint64(at position: Int) -> UInt64 { number(UInt64.self, at: position) }
}

extension [UInt8] {
  /// Appends a number in zip's byte order.
  mutating func append(littleEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}
