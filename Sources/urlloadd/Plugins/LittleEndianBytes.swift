/// Bytes with numbers in them. No offset reads beyond their end.
struct LittleEndianBytes {
  let bytes: [UInt8]

  var count: Int { bytes.count }

  /// A number at an offset.
  func number<Number: FixedWidthInteger & UnsignedInteger>(_: Number.Type, at offset: Int) throws(PluginError) -> Number
  {
    let size = MemoryLayout<Number>.size
    guard offset >= 0, count >= size, offset <= count - size else { throw .damaged("a number is beyond its table") }
    var number: Number = 0
    for index in 0..<size { number |= Number(bytes[offset + index]) << (8 * index) }
    return number
  }

  /// The bytes at an offset; nil where they are not there.
  func slice(at offset: Int, count wanted: Int) -> ArraySlice<UInt8>? {
    guard offset >= 0, wanted >= 0, offset <= count, wanted <= count - offset else { return nil }
    return bytes[offset..<offset + wanted]
  }
}
