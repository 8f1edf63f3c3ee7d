/// Fields that no request of a session has, neither by itself nor by the library.
struct OmittedFields: URLProtocolSettings {
  /// In lower case.
  var names: Set<String> = []

  init() {}
}

extension URLSessionConfiguration {
  /// The case-insensitive names of header fields that no request of the session sends; empty by default. Not in Apple's
  /// API; the counterpart of ``httpAdditionalHeaders``: they are omitted even if a request, the session or the library
  /// (as with `Accept` and `User-Agent`) sets them.
  ///
  /// Applies to `http`, `https`, `ws` and `wss`. `Content-Length` and `Transfer-Encoding` cannot be left out: without
  /// them a body would be read as the next request (RFC 9112, section 6). The getter returns the names in lower case.
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
    get { (protocolProperty(forKey: Self.omittedFieldsKey) as? [String]).map { Set($0) } ?? [] }
    set { setProtocolProperty(newValue.isEmpty ? nil : newValue.sorted(), forKey: Self.omittedFieldsKey) }
  }
}
