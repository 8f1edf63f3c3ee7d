internal import URLLoadingBase

/// A `data:` URL, parsed by RFC 2397 and the "data: URL processor" of the WHATWG Fetch Standard, section 6.
///
/// Parsing reads the media type and checks the body; the body is decoded when it is read.
struct DataURL: Sendable {
  /// The media type; `text/plain;charset=US-ASCII` when the URL states none or a wrong one.
  let mediaType: MIMEType
  /// The body, still encoded.
  let body: DataURLBody

  /// Type and subtype, as `URLResponse.mimeType` wants them.
  var mimeType: String { mediaType.essence }
  /// The charset parameter, as `URLResponse.textEncodingName` wants it.
  var textEncodingName: String? { mediaType.charset }

  init(_ url: URL) throws(DataURLError) {
    // Only the text as a whole: URL's component properties copy and escape a long path again and again.
    try self.init(url.absoluteString)
  }

  /// Parses the text of a URL; a fragment is dropped.
  init(_ text: String) throws(DataURLError) {
    var text = text
    text.makeContiguousUTF8()
    let parts = text.utf8.withContiguousStorageIfAvailable { Self.split(UnsafeRawBufferPointer($0)) }
    guard let parts, parts.schemeEnd > 0 else { throw .wrongScheme }
    guard let comma = parts.comma else { throw .missingComma }
    // The standard does not decode escapes here; it sees the text as it was written. `URL(string:)` has escaped what may not stand
    // in a URL, so exactly that is undone.
    var mediaType = PercentEncoding.decoded(Array(text.utf8.prefix(comma).dropFirst(parts.schemeEnd))) {
      " \"<>\\^`{|}".utf8.contains($0)
    }
    let isBase64 = Self.removeBase64Marker(&mediaType)
    if mediaType.first == UInt8(ascii: ";") { mediaType.insert(contentsOf: "text/plain".utf8, at: 0) }
    self.mediaType = MIMEType(parsing: mediaType) ?? .dataURLDefault
    guard let body = DataURLBody(url: text, range: comma + 1..<parts.end, isBase64: isBase64) else {
      throw .invalidBase64
    }
    self.body = body
  }

  /// Where the scheme, the media type and the body end. `schemeEnd` is 0 for another scheme.
  private static func split(_ text: UnsafeRawBufferPointer) -> (schemeEnd: Int, comma: Int?, end: Int) {
    let scheme = Array("data:".utf8)
    guard text.count >= scheme.count, zip(text, scheme).allSatisfy({ $0 | 0x20 == $1 | 0x20 }),
      let start = text.baseAddress
    else { return (0, nil, 0) }
    func offset(of byte: UInt8, before end: Int) -> Int? {
      memchr(start, Int32(byte), end).map { UnsafeRawPointer($0) - start }
    }
    let end = offset(of: UInt8(ascii: "#"), before: text.count) ?? text.count
    return (scheme.count, offset(of: UInt8(ascii: ","), before: end), end)
  }

  /// Removes `;base64` from the end of the media type; spaces may stand before the word and around the whole.
  private static func removeBase64Marker(_ mediaType: inout [UInt8]) -> Bool {
    let isWhitespace: (UInt8) -> Bool = { [0x09, 0x0A, 0x0C, 0x0D, 0x20].contains($0) }
    var rest = mediaType.drop(while: isWhitespace)
    while let last = rest.last, isWhitespace(last) { rest.removeLast() }
    mediaType = Array(rest)
    let word = Array("base64".utf8)
    guard rest.suffix(word.count).map({ 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }) == word else { return false }
    rest.removeLast(word.count)
    while rest.last == 0x20 { rest.removeLast() }
    guard rest.popLast() == UInt8(ascii: ";") else { return false }
    mediaType = Array(rest)
    return true
  }
}
