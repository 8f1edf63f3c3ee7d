/// Percent-decoding on bytes (RFC 3986, section 2.1).
package enum PercentDecoding {
  /// Every escape decoded. A percent sign that begins none stands for itself.
  package static func decoded(_ text: some RandomAccessCollection<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var rest = text[...]
    while let byte = rest.first {
      if let escaped = escapedByte(at: rest.startIndex, in: rest) {
        bytes.append(escaped)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
        rest = rest.dropFirst()
      }
    }
    return bytes
  }

  /// The byte that an escape of three characters at `index` stands for; nil where none begins there.
  package static func escapedByte<Text: RandomAccessCollection<UInt8>>(at index: Text.Index, in text: Text) -> UInt8? {
    guard text[index] == UInt8(ascii: "%"), text.distance(from: index, to: text.endIndex) >= 3 else { return nil }
    let first = text.index(after: index)
    guard let high = hexDigit(text[first]), let low = hexDigit(text[text.index(after: first)]) else { return nil }
    return high << 4 | low
  }

  /// The value of a hexadecimal digit of either case.
  package static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
