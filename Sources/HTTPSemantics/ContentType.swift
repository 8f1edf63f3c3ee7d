/// The value of a `Content-Type` field, RFC 9110 8.3, read with tolerance.
package struct ContentType {
  /// Type and subtype in lower case.
  package let mimeType: String
  /// The `charset` parameter in lower case.
  package let charset: String?

  /// The type that the fields of a message give, by "extract a MIME type" of the Fetch standard: the last one that can be read. Nil where none
  /// can.
  package init?(fieldValues: [String]) {
    var found: ContentType?
    for value in fieldValues.flatMap(Self.members) {
      guard let type = ContentType(value), type.mimeType != "*/*" else { continue }
      // The same type without a charset keeps the charset that was said before.
      let isRepeated = found?.mimeType == type.mimeType && type.charset == nil
      if !isRepeated { found = type }
    }
    guard let found else { return nil }
    self = found
  }

  /// The members of a list, at commas that are not in quotes: proxies join repeated fields.
  private static func members(_ fieldValue: String) -> [String] {
    guard fieldValue.utf8.contains(UInt8(ascii: ",")) else { return [fieldValue] }
    var members: [[UInt8]] = [[]]
    var (isQuoted, isEscaped) = (false, false)
    for byte in fieldValue.utf8 {
      if byte == UInt8(ascii: ","), !isQuoted {
        members.append([])
        continue
      }
      if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
      isEscaped = isQuoted && byte == UInt8(ascii: "\\") && !isEscaped
      members[members.count - 1].append(byte)
    }
    return members.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Nil unless there is at least a type and a subtype.
  package init?(_ fieldValue: String) {
    var scanner = FieldScanner(fieldValue)
    scanner.skipWhitespace()
    guard let type = scanner.token(), scanner.skip("/"), let subtype = scanner.token() else { return nil }
    mimeType = "\(type)/\(subtype)".lowercased()
    let value = scanner.parameters().first { $0.name == "charset" }?.value.lowercased()
    // Single quotes are no quotes in HTTP; pages have them all the same.
    let name = value?.trimmingPrefix { $0 == "'" }
    let bare = name?.last == "'" ? name?.dropLast() : name
    charset = bare?.isEmpty == false ? bare.map { String($0) } : nil
  }
}
