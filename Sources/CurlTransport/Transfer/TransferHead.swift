/// The head of a response.
package struct TransferHead: Sendable {
  /// The status code of HTTP, or the last reply code of FTP.
  package var statusCode: Int
  /// The protocol and its version as the server wrote it: `HTTP/1.1`, `HTTP/2`. `FTP` for FTP.
  package var httpVersion: String
  /// The fields, still as bytes: most responses are asked for few of them, and strings cost more than all else here.
  private(set) var lines = FieldLines()
  /// Whether there is a Set-Cookie field.
  package private(set) var hasSetCookie = false
  /// Whether there is a Strict-Transport-Security field.
  private var hasStrictTransportSecurity = false
  package var speaker = Speaker.origin
  /// Whether there is a Content-Encoding field.
  package private(set) var hasContentEncoding = false
  /// Whether a Cache-Control field has `no-store`, and none has `must-understand`; or something that looks like it.
  package private(set) var forbidsStoring = false
  /// How many bytes of body are to come, before decoding, if the server said so.
  package var contentLength: Int64?
  /// FTP: the length of the whole file, whatever range of it was asked for.
  package var resourceLength: Int64?
  /// FTP: the time of the last change of the file, in seconds since 1970.
  package var lastModified: Int64?

  /// A head of FTP.
  init(ftpReply code: Int, contentLength: Int64?) {
    statusCode = code
    httpVersion = "FTP"
    self.contentLength = contentLength
  }

  /// In place of a head: the connection is established.
  static var connection: TransferHead { TransferHead(statusCode: 0, httpVersion: "") }

  private init(statusCode: Int, httpVersion: String) {
    self.statusCode = statusCode
    self.httpVersion = httpVersion
  }

  /// A head as it came.
  init(_ facts: ResponseHeadParser.Facts, lines: FieldLines) {
    statusCode = facts.statusCode
    httpVersion = facts.httpVersion
    contentLength = facts.contentLength
    hasSetCookie = facts.hasSetCookie
    hasStrictTransportSecurity = facts.hasStrictTransportSecurity
    hasContentEncoding = facts.hasContentEncoding
    forbidsStoring = facts.forbidsStoring
    self.lines = lines
  }

  /// The first Strict-Transport-Security field: parsed on its own, since for many responses no other field is read.
  package var strictTransportSecurity: String? {
    hasStrictTransportSecurity ? lines.values(of: "strict-transport-security").first : nil
  }

  /// The Alt-Svc fields, parsed on their own.
  package var alternativeServices: [String] { lines.values(of: "alt-svc") }

  /// The first Content-Type field, parsed on its own.
  package var contentType: String? { lines.values(of: "content-type").first }

  /// The fields in the order in which they came, repeated ones apart. Empty for FTP. Made when asked for: take it once.
  package var fields: [(name: String, value: String)] { lines.fields }
}
