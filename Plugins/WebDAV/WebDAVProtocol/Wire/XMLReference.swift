/// References to characters, and to the five entities that every document has (XML 1.0, sections 4.1 and 4.6).
enum XMLReference {
  /// Bytes of the longest one, `&#x0010FFFF;`, and some zeros.
  private static let longest = 16

  /// Reads the reference that bytes begin with.
  /// - Returns: what it stands for, and its length; nil where its end is not there.
  static func read(_ bytes: ArraySlice<UInt8>) throws(XMLViolation) -> (bytes: [UInt8], length: Int)? {
    let beginning = bytes.prefix(longest)
    guard let end = beginning.firstIndex(of: UInt8(ascii: ";")) else {
      guard beginning.count < longest else { throw .malformed("a reference without an end") }
      return nil
    }
    let name = String(decoding: beginning[(beginning.startIndex + 1)..<end], as: UTF8.self)
    return (try resolved(name), end - beginning.startIndex + 1)
  }

  /// Resolves the references of an attribute's value.
  static func resolved(in value: ArraySlice<UInt8>) throws(XMLViolation) -> [UInt8] {
    var result: [UInt8] = []
    var rest = value
    while let place = rest.firstIndex(of: UInt8(ascii: "&")) {
      guard let (bytes, length) = try read(rest[place...]) else { throw .malformed("a reference without an end") }
      result += rest[..<place] + bytes
      rest = rest[(place + length)...]
    }
    return result + rest
  }

  private static func resolved(_ name: String) throws(XMLViolation) -> [UInt8] {
    switch name {
    case "amp": return [UInt8(ascii: "&")]
    case "lt": return [UInt8(ascii: "<")]
    case "gt": return [UInt8(ascii: ">")]
    case "quot": return [UInt8(ascii: "\"")]
    case "apos": return [UInt8(ascii: "'")]
    default: break
    }
    guard name.hasPrefix("#") else { throw .malformed("an entity that is not declared") }
    let isHexadecimal = name.hasPrefix("#x")
    let digits = name.dropFirst(isHexadecimal ? 2 : 1)
    // A sign would be accepted as well.
    guard digits.first?.isHexDigit == true, let value = UInt32(digits, radix: isHexadecimal ? 16 : 10),
      let scalar = Unicode.Scalar(value), value >= 0x20 || [0x09, 0x0A, 0x0D].contains(value),
      let encoded = UTF8.encode(scalar)
    else { throw .malformed("a reference to no character") }
    return Array(encoded)
  }
}
