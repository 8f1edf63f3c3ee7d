internal import URLLoadingHTTPSemantics

/// What a URL names, without its contents, as ``URLSession/resourceInfo(at:delegate:)`` gives it and a response has it.
///
/// What a source does not tell is nil.
public struct URLResourceInfo: Sendable, Hashable {
  /// Where it is: after redirects, the last URL.
  public var url: URL

  /// What it is. A symbolic link is not followed by the classes that declare ``URLProtocol/Capabilities/resourceInfo``; others, such as
  /// `http`, know files alone, and directories where a load says that there is one.
  public var kind: URLDirectoryEntry.Kind

  /// Bytes of a file's content; nil for what is no file.
  public var size: Int64?

  /// When the content was changed last, in the source's precision.
  public var modificationDate: Date?

  /// The permission bits of the mode (`0o7777`), of sources that have them.
  public var permissions: UInt16?

  /// The type of the content, in lower case and without parameters.
  public var mediaType: String?

  /// The validators of this version.
  public var validators: ResourceValidators

  /// Digests of the content, by the names of their algorithms in RFC 9530 (`sha-256`), of servers of HTTP that tell them.
  public var digests: [String: Data] = [:]

  /// What is known of a resource.
  /// - Parameters:
  ///   - url: where it is.
  ///   - kind: what it is.
  ///   - size: bytes of a file's content; a negative number counts as unknown.
  ///   - modificationDate: when its content was changed last.
  ///   - permissions: the permission bits of its mode; others are left out.
  ///   - mediaType: the type of its content.
  ///   - validators: the validators of this version.
  public init(
    url: URL, kind: URLDirectoryEntry.Kind, size: Int64? = nil, modificationDate: Date? = nil,
    permissions: UInt16? = nil, mediaType: String? = nil, validators: ResourceValidators = ResourceValidators()
  ) {
    self.url = url
    self.kind = kind
    self.size = size.flatMap { $0 < 0 ? nil : $0 }
    self.modificationDate = modificationDate
    self.permissions = permissions.map { $0 & 0o7777 }
    self.mediaType = mediaType
    self.validators = validators
  }
}

extension URLResponse {
  /// A response that tells what a URL names: what a class answers where ``URLProtocolDemand/wantsInfo`` asks for it. No body follows.
  public convenience init(_ info: URLResourceInfo) {
    self.init(
      Details(
        url: info.url.resolved, mimeType: info.mediaType, expectedContentLength: info.size ?? -1,
        validators: info.validators,
        described: Details.Described(
          kind: info.kind, modificationDate: info.modificationDate, permissions: info.permissions)))
  }
}

extension ShadowableMembers where Self: URLResponse {
  /// What the response tells of the resource; nil of a response without a URL.
  ///
  /// Where it was not made of a ``URLResourceInfo``, it is that of a file: of HTTP with the length of the content in the coding that it was
  /// sent in, and whatever the status says.
  public var resourceInfo: URLResourceInfo? {
    guard let url else { return nil }
    let described = described
    let length = contentRange.map { $0.completeLength } ?? expectedContentLength
    var info = URLResourceInfo(
      url: url, kind: described?.kind ?? .file, size: length,
      modificationDate: described?.modificationDate ?? validators.lastModified, permissions: described?.permissions,
      mediaType: mimeType, validators: validators)
    if let response = self as? HTTPURLResponse { info.digests = response.digests }
    return info
  }
}

extension HTTPURLResponse {
  /// RFC 9530, section 3: of the representation, which is the content where it has no coding.
  fileprivate var digests: [String: Data] {
    let lines = fields.values(of: "Repr-Digest")
    guard !lines.isEmpty, fields["Content-Encoding"] == nil, let members = StructuredField.dictionary(lines) else {
      return [:]
    }
    return members.compactMapValues { if case .bytes(let text) = $0 { Data(base64Encoded: text) } else { nil } }
  }
}
