internal import URLLoadingBase

/// The value of a `Content-Disposition` field, RFC 6266.
package struct ContentDisposition {
  /// `inline`, `attachment` or another type, in lower case.
  let type: String?
  /// The file name that the sender proposes, unchecked: it may be a path. `filename*` wins over `filename` (RFC 6266 4.3).
  package let filename: String?

  package init(_ fieldValue: String) {
    var scanner = FieldScanner(fieldValue)
    scanner.skipWhitespace()
    type = scanner.token()?.lowercased()
    // Some senders leave the type out and begin with the parameter.
    if type == "filename" || type == "filename*" { scanner = FieldScanner(";" + fieldValue) }
    let parameters = scanner.parameters()
    filename =
      parameters.first { $0.name == "filename*" }.flatMap { Self.decodeExtended($0.value) }.flatMap {
        $0.isEmpty ? nil : $0
      }
      ?? parameters.first { $0.name == "filename" }?.value
  }

  /// An extended value, RFC 8187 3.2: `UTF-8'en'%e2%82%ac%20rates`. Nil if it is malformed or in a character
  /// set other than UTF-8 and ISO-8859-1.
  static func decodeExtended(_ value: String) -> String? {
    let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    let text = Array(parts[2].utf8)
    let percent = UInt8(ascii: "%")
    guard text.indices.allSatisfy({ text[$0] != percent || PercentEncoding.escapedByte(in: text, at: $0) != nil })
    else {
      return nil
    }
    let bytes = PercentEncoding.decoded(text)
    if parts[0].equalsIgnoringASCIICase("UTF-8") {
      return String(validating: bytes, as: UTF8.self)
    }
    guard parts[0].equalsIgnoringASCIICase("ISO-8859-1") else { return nil }
    return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }
}
