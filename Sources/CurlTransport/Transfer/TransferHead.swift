/// The head of a response.
package struct TransferHead: Sendable {
  /// The status code of HTTP, or the last reply code of FTP.
  package var statusCode: Int
  /// The protocol and its version as the server wrote it: `HTTP/1.1`, `HTTP/2`. `FTP` for FTP.
  package var httpVersion: String
  /// The reason phrase; often empty.
  package var reasonPhrase: String
  /// The fields, still as bytes: most responses are asked for few of them, and strings cost more than all else here.
  private(set) var lines = FieldLines()
  /// Whether there is a Set-Cookie field.
  package private(set) var hasSetCookie = false
  /// Whether there is a Content-Encoding field.
  package private(set) var hasContentEncoding = false
  /// How many bytes of body are to come, before decoding, if the server said so.
  package var contentLength: Int64?
  /// FTP: the length of the whole file, whatever range of it was asked for.
  package var resourceLength: Int64?
  /// FTP: the time of the last change of the file, in seconds since 1970.
  package var lastModified: Int64?

  package init(
    statusCode: Int, httpVersion: String = "HTTP/1.1", reasonPhrase: String = "",
    fields: [(name: String, value: String)] = [], contentLength: Int64? = nil
  ) {
    self.statusCode = statusCode
    self.httpVersion = httpVersion
    self.reasonPhrase = reasonPhrase
    self.contentLength = contentLength
    for (name, value) in fields {
      var (name, value) = (name, value)
      name.withUTF8 { name in value.withUTF8 { append(UnsafeRawBufferPointer(name), UnsafeRawBufferPointer($0)) } }
    }
  }

  /// A head as it came.
  init(_ facts: ResponseHeadParser.Facts, lines: FieldLines) {
    statusCode = facts.statusCode
    httpVersion = facts.httpVersion
    reasonPhrase = facts.reasonPhrase
    contentLength = facts.contentLength
    hasSetCookie = facts.hasSetCookie
    hasContentEncoding = facts.hasContentEncoding
    self.lines = lines
  }

  /// The fields in the order in which they came, repeated ones apart. Empty for FTP. Made when asked for: take it once.
  package var fields: [(name: String, value: String)] { lines.fields }

  /// Adds a field.
  private mutating func append(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    lines.append(name, value)
    note(name)
  }

  private mutating func note(_ name: UnsafeRawBufferPointer) {
    switch name.count {
    case 10: if ResponseHeadParser.equal(name, "set-cookie") { hasSetCookie = true }
    case 16: if ResponseHeadParser.equal(name, "content-encoding") { hasContentEncoding = true }
    default: break
    }
  }

  /// The value of the first field with this name, whatever its case.
  package func firstValue(of name: String) -> String? {
    fields.first { $0.name.utf8.elementsEqual(name.utf8, by: { $0.asciiLowercased == $1.asciiLowercased }) }?.value
  }
}

extension UInt8 {
  /// The byte in lower case if it is an upper case ASCII letter.
  var asciiLowercased: UInt8 { self &- 65 < 26 ? self | 32 : self }
}
