internal import URLLoadingHTTPSemantics

// Safe to share: nothing changes after init.
/// The head of an answer: what a source says about a resource before it sends the bytes, for any scheme.
open class URLResponse: NSObject, NSSecureCoding, NSCopying, ShadowableMembers, @unchecked Sendable {
  private let details: Details

  struct Details: Hashable {
    var url: URL?
    var mimeType: String?
    var expectedContentLength: Int64 = -1
    var textEncodingName: String?
    var contentRange: ContentRange?
    var validators = ResourceValidators()
    var acceptsByteRanges = false
    var suggestedFilename: String?
    var described: Described?

    /// What sources beyond HTTP know, see ``URLResourceInfo``.
    struct Described: Hashable {
      var kind: URLDirectoryEntry.Kind
      var modificationDate: Date?
      var permissions: UInt16?
    }
  }

  init(_ details: Details) {
    self.details = details
  }

  /// A response with Apple's four properties.
  ///
  /// - Parameters:
  ///   - url: where the resource came from.
  ///   - mimeType: its type, such as `text/html`.
  ///   - expectedContentLength: the number of bytes to come, -1 if unknown.
  ///   - textEncodingName: the IANA name of its character set.
  public init(url: URL, mimeType: String?, expectedContentLength: Int, textEncodingName: String?) {
    details = Details(
      url: url.resolved, mimeType: mimeType, expectedContentLength: max(-1, Int64(expectedContentLength)),
      textEncodingName: textEncodingName)
  }

  /// A response with all that a protocol class can say. Resuming, caching and random access work for a scheme
  /// when its responses give validators, ranges and `acceptsByteRanges`.
  ///
  /// - Parameters:
  ///   - url: where the resource came from.
  ///   - mimeType: its type, such as `text/html`.
  ///   - expectedContentLength: the number of bytes to come (of the part, if `contentRange` is given), -1 if
  ///     unknown.
  ///   - textEncodingName: the IANA name of its character set.
  ///   - contentRange: the part that follows, or nil for the whole resource.
  ///   - validators: the validators of this version of the resource.
  ///   - acceptsByteRanges: whether a request with a `Range` field would get that range.
  ///   - suggestedFilename: a name for the resource as a file; what could lead to another directory is removed.
  ///   - permissions: the permission bits of the file (`0o7777`), which copies of it have; nil where there are none.
  public init(
    url: URL, mimeType: String?, expectedContentLength: Int64, textEncodingName: String?,
    contentRange: ContentRange? = nil, validators: ResourceValidators = ResourceValidators(),
    acceptsByteRanges: Bool = false, suggestedFilename: String? = nil, permissions: UInt16? = nil
  ) {
    details = Details(
      url: url.resolved, mimeType: mimeType, expectedContentLength: max(-1, expectedContentLength),
      textEncodingName: textEncodingName, contentRange: contentRange, validators: validators,
      acceptsByteRanges: acceptsByteRanges, suggestedFilename: suggestedFilename,
      described: permissions.map { Details.Described(kind: .file, permissions: $0 & 0o7777) })
  }

  /// A response of nothing: `URLResponse()`. There for tests and subclasses.
  ///
  /// It is not `init()`, which FoundationNetworking's class does not have: a subclass, or an extension of one, may declare that.
  public init(_ nothing: Void = ()) {
    details = Details()
  }

  /// For subclasses that derive all else from what they hold.
  init(url: URL?) {
    details = Details(url: url?.resolved)
  }

  /// A response from an archive of another object.
  init(archived list: [String: Any]) {
    details = Details(propertyList: list)
  }

  /// What archives hold.
  var archivedList: [String: Any] { details.propertyList }

  /// Reads an archived response; nil if it is damaged.
  public required init?(coder: NSCoder) {
    guard let list = PropertyListArchive.decode(from: coder) else { return nil }
    details = Details(propertyList: list)
  }

  /// Archives the response.
  open func encode(with coder: NSCoder) {
    PropertyListArchive.encode(details.propertyList, with: coder)
  }

  /// Always true.
  open class var supportsSecureCoding: Bool { true }

  /// The response itself: it cannot change.
  open override func copy() -> Any { self }

  /// The response itself: it cannot change.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? URLResponse, type(of: other) == type(of: self) else { return false }
    return details == other.details
  }

  open override var hash: Int { details.url.hashValue }

  open override var description: String {
    "<\(type(of: self))> { URL: \(url?.shownDescription ?? "nil") }{ MIME type: \(mimeType ?? "nil"), expected length: "
      + "\(expectedContentLength), text encoding: \(textEncodingName ?? "nil") }"
  }

  /// Where the resource came from: the last URL of a chain of redirects. Always absolute, whatever was given.
  open var url: URL? { details.url }

  /// The type of the resource, in lower case and without parameters.
  open var mimeType: String? { details.mimeType }

  /// The number of bytes to come, or -1 if it is not known.
  open var expectedContentLength: Int64 { details.expectedContentLength }

  /// The IANA name of the character set; nil if it is not known.
  open var textEncodingName: String? { details.textEncodingName }

  /// A name for the resource as a file. Never a path: whatever the source says, it has no slash, no NUL,
  /// is not `..` and does not begin with a dot.
  open var suggestedFilename: String? {
    SuggestedFilename.make(proposed: details.suggestedFilename, url: url, mimeType: mimeType)
  }

  var ownContentRange: ContentRange? { details.contentRange }
  var ownValidators: ResourceValidators { details.validators }
  var ownAcceptsByteRanges: Bool { details.acceptsByteRanges }
  var described: Details.Described? { details.described }
}

extension ShadowableMembers where Self: URLResponse {
  /// The part of the resource that follows, or nil if it is all of it. Of an HTTP response from `Content-Range`, which means something in
  /// a 206 response only (RFC 9110 14.4).
  public var contentRange: ContentRange? { ownContentRange }

  /// The validators of this version of the resource. Of an HTTP response from `ETag`, `Last-Modified` and `Date`.
  public var validators: ResourceValidators { ownValidators }

  /// Whether a request with a `Range` field would get that range of the resource. An HTTP response says so in `Accept-Ranges`
  /// (RFC 9110 14.3), or has a range.
  public var acceptsByteRanges: Bool { ownAcceptsByteRanges }
}
