/// Makes UTF-8 of a document's bytes, in whatever pieces they come: of UTF-8, UTF-16 and ISO 8859-1. A value without I/O.
///
/// The encoding is what a byte order mark says, else what the answer's `Content-Type` says (RFC 7303, section 3), else the declaration.
/// What calls itself UTF-8 is passed on as it is: a name may have any bytes.
struct XMLDecoding {
  private enum Encoding {
    case unknown
    case asItIs
    case latin1
    case utf16(isBigEndian: Bool)
  }

  /// Bytes of a declaration, at whose end the encoding is known.
  private static let longestDeclaration = 512

  private var encoding = Encoding.unknown
  private let charset: String?
  /// Bytes that wait for others: the beginning, or a part of a character.
  private var waiting: [UInt8] = []

  /// - Parameter charset: the character set that the answer's head names.
  init(charset: String?) {
    self.charset = charset
  }

  /// Whether no part of a character is left.
  var isComplete: Bool { waiting.isEmpty }

  mutating func decode(_ bytes: some Sequence<UInt8>) throws(XMLViolation) -> [UInt8] {
    if case .asItIs = encoding { return Array(bytes) }
    waiting += bytes
    if case .unknown = encoding {
      guard let (found, mark) = try detected() else { return [] }
      encoding = found
      waiting.removeFirst(mark)
    }
    switch encoding {
    case .unknown: return []
    case .asItIs:
      defer { waiting = [] }
      return waiting
    case .latin1:
      defer { waiting = [] }
      return waiting.flatMap { $0 < 0x80 ? [$0] : [0xC0 | $0 >> 6, 0x80 | $0 & 0x3F] }
    case .utf16(let isBigEndian): return try units(isBigEndian)
    }
  }

  /// - Returns: the encoding and the length of the mark; nil where more bytes are needed to tell.
  private func detected() throws(XMLViolation) -> (Encoding, Int)? {
    guard waiting.count >= 4 else { return nil }
    switch (waiting[0], waiting[1], waiting[2]) {
    case (0xEF, 0xBB, 0xBF): return (.asItIs, 3)
    case (0xFE, 0xFF, _): return (.utf16(isBigEndian: true), 2)
    case (0xFF, 0xFE, _): return (.utf16(isBigEndian: false), 2)
    // The first character of a document without a mark is "<".
    case (0, 0x3C, _): return (.utf16(isBigEndian: true), 0)
    case (0x3C, 0, _): return (.utf16(isBigEndian: false), 0)
    default: break
    }
    if let charset { return (try Self.encoding(named: charset), 0) }
    let beginning = Array("<?xml".utf8)
    guard waiting.starts(with: beginning) || beginning.starts(with: waiting) else { return (.asItIs, 0) }
    guard let end = waiting.firstIndex(of: UInt8(ascii: ">")) else {
      guard waiting.count < Self.longestDeclaration else {
        throw .limit("a declaration's length in bytes", Self.longestDeclaration)
      }
      return nil
    }
    guard let name = Self.declared(in: waiting[..<end]) else { return (.asItIs, 0) }
    return (try Self.encoding(named: name), 0)
  }

  /// The value of `encoding` in a declaration.
  private static func declared(in declaration: ArraySlice<UInt8>) -> String? {
    let text = String(decoding: declaration, as: UTF8.self)
    guard let place = text.range(of: "encoding") else { return nil }
    let rest = text[place.upperBound...].drop { $0 == "=" || $0.isWhitespace }
    guard let quote = rest.first, quote == "\"" || quote == "'" else { return nil }
    return String(rest.dropFirst().prefix { $0 != quote })
  }

  private static func encoding(named name: String) throws(XMLViolation) -> Encoding {
    switch name.lowercased() {
    case "utf-8", "utf8", "us-ascii", "ascii": return .asItIs
    case "iso-8859-1", "latin1": return .latin1
    // Its bytes would have said so.
    case "utf-16", "utf-16le", "utf-16be": return .asItIs
    default: throw .encoding(String(name.prefix(40)))
    }
  }

  private mutating func units(_ isBigEndian: Bool) throws(XMLViolation) -> [UInt8] {
    func unit(_ index: Int) -> UInt32 {
      let (first, second) = (UInt32(waiting[index]), UInt32(waiting[index + 1]))
      return isBigEndian ? first << 8 | second : second << 8 | first
    }
    var result: [UInt8] = []
    result.reserveCapacity(waiting.count)
    var index = 0
    while index + 1 < waiting.count {
      var value = unit(index)
      var length = 2
      if value & 0xFC00 == 0xD800 {
        guard index + 3 < waiting.count else { break }
        let low = unit(index + 2)
        guard low & 0xFC00 == 0xDC00 else { throw .malformed("a half of a character") }
        value = 0x10000 + (value & 0x3FF) << 10 + low & 0x3FF
        length = 4
      }
      guard let scalar = Unicode.Scalar(value) else { throw .malformed("a half of a character") }
      result += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
      index += length
    }
    waiting.removeFirst(index)
    return result
  }
}
