/// Fields that no request of a session has, neither by itself nor by the library.
package struct OmittedFields: URLProtocolSettings {
  /// In lower case.
  package var names: Set<String> = []

  package init() {}
}

extension URLSessionConfiguration {
  package var omittedFields: OmittedFields {
    get { self[OmittedFields.self] }
    set { self[OmittedFields.self] = newValue }
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
