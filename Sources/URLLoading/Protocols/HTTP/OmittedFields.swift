/// Fields that no request of a session has, neither by itself nor by the library.
struct OmittedFields: URLProtocolSettings {
  /// In lower case.
  var names: Set<String> = []

  init() {}
}

extension URLSessionConfiguration {
  /// The names of header fields that no request of the session has, in any case; empty unless set. Our addition, the counterpart of
  /// ``httpAdditionalHeaders``: they are left out where a request or the session sets them, and where the library adds them by itself, as it
  /// does `Accept` and `User-Agent`.
  ///
  /// Holds for `http`, `https`, `ws` and `wss`. `Content-Length` and `Transfer-Encoding` cannot be left out: without them a body would be read
  /// as the next request (RFC 9112, section 6). The names come back in lower case.
  public var httpOmittedHeaders: Set<String> {
    get { self[OmittedFields.self].names }
    set { self[OmittedFields.self].names = Set(newValue.map { $0.lowercased() }) }
  }
}

extension URLRequest {
  private static let omittedFieldsKey = "URLLoading.omittedFields"

  /// Fields that this request goes without, in lower case, beside those of the session: how those of a background session reach the
  /// service, where a later session with its identifier may have others.
  var omittedFields: Set<String> {
    get { Set(protocolProperty(forKey: Self.omittedFieldsKey) as? [String] ?? []) }
    set { setProtocolProperty(newValue.isEmpty ? nil : newValue.sorted(), forKey: Self.omittedFieldsKey) }
  }
}
