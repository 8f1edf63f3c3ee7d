/// A start tag, taken apart: its name, and the namespaces that it declares.
struct XMLTag {
  /// With the prefix.
  let name: [UInt8]
  /// Whether it ends its element at once.
  let isEmpty: Bool
  /// Prefixes, which may be empty, with what they stand for.
  private(set) var namespaces: [(prefix: [UInt8], uri: [UInt8])] = []
  /// Of the other attributes, whose values do not matter.
  private(set) var attributePrefixes: [[UInt8]] = []

  private static let colon = UInt8(ascii: ":")

  var prefix: [UInt8] { Self.prefix(of: name) }
  var localName: ArraySlice<UInt8> { name.firstIndex(of: Self.colon).map { name[($0 + 1)...] } ?? name[...] }

  /// - Parameter content: what is between the brackets.
  init(_ content: ArraySlice<UInt8>, _ limits: XMLLimits) throws(XMLViolation) {
    isEmpty = content.last == UInt8(ascii: "/")
    var rest = isEmpty ? content.dropLast() : content
    name = try Self.name(&rest)
    var names: [[UInt8]] = []
    while !rest.isEmpty {
      guard let first = rest.first, Self.isSpace(first) else { throw .malformed("attributes that are not separated") }
      Self.skipSpace(&rest)
      guard !rest.isEmpty else { break }
      let attribute = try Self.name(&rest)
      guard !names.contains(attribute) else { throw .malformed("an attribute that is there twice") }
      names.append(attribute)
      guard names.count <= limits.attributes else { throw .limit("the number of attributes", limits.attributes) }
      try take(attribute, try Self.value(&rest))
    }
  }

  private mutating func take(_ attribute: [UInt8], _ value: [UInt8]) throws(XMLViolation) {
    let xmlns = Array("xmlns".utf8)
    if attribute == xmlns {
      namespaces.append(([], value))
    } else if Self.prefix(of: attribute) == xmlns {
      let prefix = Array(attribute.dropFirst(xmlns.count + 1))
      guard !value.isEmpty, prefix != xmlns else { throw .malformed("a prefix that stands for nothing") }
      namespaces.append((prefix, value))
    } else if attribute.contains(Self.colon) {
      attributePrefixes.append(Self.prefix(of: attribute))
    }
  }

  private static func prefix(of name: [UInt8]) -> [UInt8] {
    name.firstIndex(of: colon).map { Array(name[..<$0]) } ?? []
  }

  // MARK: Syntax

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

  private static func skipSpace(_ rest: inout ArraySlice<UInt8>) { rest = rest.drop { isSpace($0) } }

  /// Namespaces in XML 1.0, section 4. Of what is not ASCII every character passes.
  private static func name(_ rest: inout ArraySlice<UInt8>) throws(XMLViolation) -> [UInt8] {
    let name = Array(rest.prefix { isNameByte($0) })
    guard let first = name.first, isNameStart(first), name.filter({ $0 == colon }).count <= 1, name.last != colon else {
      throw .malformed("a name that is none")
    }
    rest = rest.dropFirst(name.count)
    return name
  }

  private static func isNameStart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), 0x80...: true
    default: false
    }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), colon: true
    default: isNameStart(byte)
    }
  }

  private static func value(_ rest: inout ArraySlice<UInt8>) throws(XMLViolation) -> [UInt8] {
    skipSpace(&rest)
    guard rest.popFirst() == UInt8(ascii: "=") else { throw .malformed("an attribute without a value") }
    skipSpace(&rest)
    guard let quote = rest.popFirst(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
      let end = rest.firstIndex(of: quote)
    else { throw .malformed("a value without quotes") }
    let value = try XMLReference.resolved(in: rest[..<end])
    rest = rest[(end + 1)...]
    return value
  }
}
