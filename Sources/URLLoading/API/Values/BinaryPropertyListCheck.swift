/// Checks a binary property list before Foundation reads it: all objects lie in the data, are of the usual kinds, and are few enough
/// when each reference counts as an object.
///
/// The format: objects, a table of their offsets, and a trailer of 32 bytes that says where the table is and how wide
/// its entries are. An object begins with a byte that has the kind in its upper half and a count in its lower one.
struct BinaryPropertyListCheck {
  /// The most objects, references counted each; far above what a request has.
  private static let objectLimit = 100_000
  private static let depthLimit = 64
  private static let trailerLength = 32

  private let bytes: [UInt8]
  private var offsetWidth = 0
  private var referenceWidth = 0
  private var objectCount = 0
  private var table = 0
  private var budget = objectLimit

  init(_ data: Data) {
    bytes = Array(data)
  }

  mutating func isAcceptable() -> Bool {
    let trailer = bytes.count - Self.trailerLength
    guard trailer >= 8 else { return false }
    offsetWidth = Int(bytes[trailer + 6])
    referenceWidth = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetWidth), (1...8).contains(referenceWidth),
      let count = number(at: trailer + 8, width: 8), let top = number(at: trailer + 16, width: 8),
      let start = number(at: trailer + 24, width: 8)
    else { return false }
    // Divided, not multiplied: the count may be anything.
    guard start <= trailer, count > 0, count <= (trailer - start) / offsetWidth else { return false }
    objectCount = count
    table = start
    return accepts(object: top, depth: 0)
  }

  private mutating func accepts(object: Int, depth: Int) -> Bool {
    budget -= 1
    guard budget >= 0, depth <= Self.depthLimit, let (marker, offset) = marker(of: object) else { return false }
    switch marker >> 4 {
    case 0x0: return marker == 0x08 || marker == 0x09
    case 0x1: return marker <= 0x14 && fits(offset + 1, 1 << Int(marker & 0x0F))
    case 0x2: return (marker == 0x22 || marker == 0x23) && fits(offset + 1, 1 << Int(marker & 0x0F))
    case 0x3: return marker == 0x33 && fits(offset + 1, 8)
    case 0x4, 0x5: return sized(marker, offset).map { fits($0.start, $0.count) } ?? false
    case 0x6: return sized(marker, offset).map { $0.count <= table / 2 && fits($0.start, $0.count * 2) } ?? false
    case 0xA: return sized(marker, offset).map { acceptsAll($0.start, $0.count, depth: depth) } ?? false
    case 0xD:
      guard let (start, count) = sized(marker, offset), count <= table / 2,
        acceptsKeys(start, count)
      else { return false }
      return acceptsAll(start, count * 2, depth: depth)
    default: return false
    }
  }

  private mutating func acceptsAll(_ start: Int, _ count: Int, depth: Int) -> Bool {
    guard count <= table / referenceWidth, fits(start, count * referenceWidth) else { return false }
    for index in 0..<count {
      guard let object = number(at: start + index * referenceWidth, width: referenceWidth),
        accepts(object: object, depth: depth + 1)
      else { return false }
    }
    return true
  }

  /// Keys of dictionaries are strings.
  private func acceptsKeys(_ start: Int, _ count: Int) -> Bool {
    guard count <= table / referenceWidth, fits(start, count * referenceWidth) else { return false }
    return (0..<count).allSatisfy { index in
      guard let object = number(at: start + index * referenceWidth, width: referenceWidth),
        let (marker, _) = marker(of: object)
      else { return false }
      return marker >> 4 == 0x5 || marker >> 4 == 0x6
    }
  }

  private func marker(of object: Int) -> (UInt8, offset: Int)? {
    guard object < objectCount, let offset = number(at: table + object * offsetWidth, width: offsetWidth),
      offset >= 8, offset < table
    else { return nil }
    return (bytes[offset], offset)
  }

  /// The count of an object, from its first byte or, where that says 15, from the integer that follows.
  private func sized(_ marker: UInt8, _ offset: Int) -> (start: Int, count: Int)? {
    guard marker & 0x0F == 0x0F else { return (offset + 1, Int(marker & 0x0F)) }
    guard fits(offset + 1, 1), bytes[offset + 1] & 0xF0 == 0x10, bytes[offset + 1] <= 0x13 else { return nil }
    let width = 1 << Int(bytes[offset + 1] & 0x0F)
    guard fits(offset + 2, width) else { return nil }
    return number(at: offset + 2, width: width).map { (offset + 2 + width, $0) }
  }

  /// Whether so many bytes lie before the table.
  private func fits(_ start: Int, _ length: Int) -> Bool {
    start <= table && length <= table - start
  }

  /// A number with its most significant byte first; nil if it lies outside or is larger than `Int` holds.
  private func number(at start: Int, width: Int) -> Int? {
    guard start >= 0, width <= bytes.count, start <= bytes.count - width else { return nil }
    var result: UInt64 = 0
    for byte in bytes[start..<(start + width)] { result = result << 8 | UInt64(byte) }
    return Int(exactly: result)
  }
}
