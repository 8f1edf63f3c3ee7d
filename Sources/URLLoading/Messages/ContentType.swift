/// The value of a `Content-Type` field, RFC 9110 8.3, read with tolerance.
struct ContentType {
  /// Type and subtype in lower case.
  let mimeType: String
  /// The `charset` parameter in lower case.
  let charset: String?

  /// Nil unless there is at least a type and a subtype.
  init?(_ fieldValue: String) {
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
