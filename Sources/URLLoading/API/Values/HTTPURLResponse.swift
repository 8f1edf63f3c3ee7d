internal import URLLoadingBase
internal import URLLoadingCurlTransport
internal import URLLoadingHTTPSemantics

// Safe to share: nothing changes after init.
/// A response to an HTTP request.
///
/// It keeps the fields as the server sent them, and derives each property at every access: read `allHeaderFields` once rather than in
/// a loop.
open class HTTPURLResponse: URLResponse, @unchecked Sendable {
  /// The status code (RFC 9110 15).
  open var statusCode: Int { status }
  private let status: Int

  /// The status code that it was made with, whatever a subclass says.
  var receivedStatus: Int { status }

  /// The protocol's name and version as the status line has it: `HTTP/1.1`, `HTTP/2`.
  let httpVersion: String

  private let fieldSource: HTTPFieldSource

  var fields: HTTPFields { fieldSource.fields }

  /// Whether no cache may store it; false where that takes a look at the fields.
  var forbidsStoring: Bool { fieldSource.forbidsStoring }

  /// Whether a server sent the fields: they describe the bytes on the wire, before decoding.
  var isReceived: Bool { fieldSource.isReceived }

  /// A response with the given fields.
  ///
  /// - Parameters:
  ///   - url: where the response came from.
  ///   - statusCode: the status code.
  ///   - httpVersion: the protocol's version, `HTTP/1.1` if nil.
  ///   - headerFields: the header fields; several cookies may be in one `Set-Cookie`, separated by commas.
  public init?(url: URL, statusCode: Int, httpVersion: String?, headerFields: [String: String]?) {
    status = statusCode
    self.httpVersion = httpVersion ?? "HTTP/1.1"
    let fields = HTTPFields(
      HTTPFields(headerFields ?? [:]).fields.flatMap { name, value in
        name.equalsIgnoringASCIICase("Set-Cookie")
          ? SetCookieSplitter.split(value).map { (name: name, value: $0) } : [(name: name, value: value)]
      })
    fieldSource = HTTPFieldSource(fields, isReceived: false)
    super.init(url: url)
  }

  /// A response with fields in the server's order, repeated ones apart. Does nothing but store them.
  package init(
    url: URL, statusCode: Int, httpVersion: String, fields: [(name: String, value: String)], isReceived: Bool = true,
    isOfProxy: Bool = false
  ) {
    status = statusCode
    self.httpVersion = httpVersion
    fieldSource = HTTPFieldSource(HTTPFields(fields), isReceived: isReceived, isOfProxy: isOfProxy)
    super.init(url: url)
  }

  /// The head of a transfer, whose fields are read when they are asked for.
  init(url: URL, head: consuming TransferHead) {
    status = head.statusCode
    httpVersion = head.httpVersion
    fieldSource = HTTPFieldSource(consume head)
    super.init(url: url)
  }

  /// Reads an archived response; nil if it is damaged.
  public required init?(coder: NSCoder) {
    guard let list = PropertyListArchive.decode(from: coder), let statusCode = list["statusCode"] as? Int else {
      return nil
    }
    status = statusCode
    httpVersion = list["httpVersion"] as? String ?? "HTTP/1.1"
    fieldSource = HTTPFieldSource(
      HTTPFields(flatList: list["fields"] as? [String] ?? []), isReceived: list["isReceived"] as? Bool ?? true,
      isOfProxy: list["isOfProxy"] as? Bool ?? false)
    super.init(url: (list["url"] as? String).flatMap(URL.init(string:)))
  }

  /// A response from an archive of another object; nil if it is damaged.
  init?(archivedHead list: [String: Any]) {
    guard let statusCode = list["statusCode"] as? Int else { return nil }
    status = statusCode
    httpVersion = list["httpVersion"] as? String ?? "HTTP/1.1"
    fieldSource = HTTPFieldSource(
      HTTPFields(flatList: list["fields"] as? [String] ?? []), isReceived: list["isReceived"] as? Bool ?? true,
      isOfProxy: list["isOfProxy"] as? Bool ?? false)
    super.init(url: (list["url"] as? String).flatMap(URL.init(string:)))
  }

  override var archivedList: [String: Any] {
    var list: [String: Any] = [
      "statusCode": statusCode, "httpVersion": httpVersion,
      "isReceived": fieldSource.isReceived, "fields": fields.fields.flatMap { [$0.name, $0.value] },
    ]
    list["url"] = url?.absoluteString
    if speaker == .proxy { list["isOfProxy"] = true }
    return list
  }

  open override func encode(with coder: NSCoder) {
    PropertyListArchive.encode(archivedList, with: coder)
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? HTTPURLResponse, super.isEqual(object) else { return false }
    return statusCode == other.statusCode && fields == other.fields
  }

  open override var description: String {
    "<\(type(of: self))> { URL: \(url?.shownDescription ?? "nil") }{ Status Code: \(statusCode), Headers: "
      + fields.dictionary.sorted { $0.key < $1.key }.map { "\"\($0.key)\" = \"\($0.value)\"" }
      .joined(separator: "; ") + " }"
  }

  /// All header fields, those that are repeated joined by ", " (RFC 9110 5.3). Known names have their usual spelling,
  /// whatever the server wrote, so that `allHeaderFields["Content-Type"]` finds them; other names stay as they came.
  /// `value(forHTTPHeaderField:)` finds a name in any case.
  open var allHeaderFields: [AnyHashable: Any] {
    var result: [AnyHashable: Any] = [:]
    for (name, value) in fields.dictionary {
      result[CanonicalFieldNames.spelling(of: name)] = value
    }
    return result
  }

  /// The value of a header field, in any case; values of a repeated field joined by ", ".
  open func value(forHTTPHeaderField field: String) -> String? {
    fields[field]
  }

  // MARK: - Derived from the fields; malformed ones count as missing

  open override var mimeType: String? {
    contentType?.mimeType
  }

  open override var textEncodingName: String? {
    contentType?.charset
  }

  private var contentType: ContentType? {
    ContentType(fieldValues: fields.values(of: "Content-Type"))
  }

  /// The number of bytes to come, -1 if unknown. It is unknown for a compressed body that was received, since the
  /// loaded bytes are the decompressed ones; a response made by hand has the number that its `Content-Length` gives.
  open override var expectedContentLength: Int64 {
    if let known = fieldSource.knownLength { return known }
    if fieldSource.isReceived, !isLengthOfBody { return -1 }
    guard let field = fields["Content-Length"] else { return contentRange?.length ?? -1 }
    if let number = Int64(asciiDigits: field[...]) { return number }
    // RFC 9110 8.6: the same number several times is that number.
    let numbers = Set(field.split(separator: ",").map { Int64(asciiDigits: $0.trimmingFieldWhitespace) ?? -1 })
    return numbers.count == 1 ? numbers.first ?? -1 : -1
  }

  /// Whether `Content-Length` counts the bytes that are loaded.
  private var isLengthOfBody: Bool {
    // RFC 9112 6.3: a transfer coding overrides a length.
    contentCoding == nil && !fields.contains("Transfer-Encoding")
  }

  open override var suggestedFilename: String? {
    SuggestedFilename.make(
      proposed: fields.single("Content-Disposition").first.flatMap { ContentDisposition($0).filename },
      url: url, mimeType: mimeType)
  }

  override var ownContentRange: ContentRange? {
    guard statusCode == 206 else { return nil }
    return fields.single("Content-Range").agreed.flatMap(ContentRange.init(fieldValue:))
  }

  override var ownValidators: ResourceValidators {
    ResourceValidators(fields)
  }

  override var ownAcceptsByteRanges: Bool {
    if let field = fields["Accept-Ranges"] {
      return field.split(separator: ",").contains { $0.trimmingFieldWhitespace.equalsIgnoringASCIICase("bytes") }
    }
    return contentRange != nil
  }

  /// The cookies that the server sets, each apart.
  var setCookies: [OctetText] { fieldSource.setCookies }

  var setCookieValues: [String] { setCookies.map(\.text) }

  /// Who has said it, as far as its connection tells; see ``Load/speaker(of:)``.
  var speaker: Speaker { fieldSource.speaker }

  /// The boundary of a body of the type `multipart/x-mixed-replace`; nil for all others.
  var replacedPartBoundary: String? {
    guard let type = fieldSource.contentType, type.utf8.first.map({ $0 | 0x20 }) == UInt8(ascii: "m") else {
      return nil
    }
    return MixedReplaceParser.boundary(inContentType: type)
  }

  /// What the server says by `Strict-Transport-Security`. Of several fields the first counts (RFC 6797, section 8.1).
  var strictTransportSecurity: String? { fieldSource.strictTransportSecurity }

  /// Where else the server can be reached, in its own words (RFC 7838, section 3).
  var alternativeServices: [String] { fieldSource.alternativeServices }

  /// A short description of a status code in English, such as "not found".
  open class func localizedString(forStatusCode statusCode: Int) -> String {
    StatusDescriptions.text(for: statusCode)
  }
}
