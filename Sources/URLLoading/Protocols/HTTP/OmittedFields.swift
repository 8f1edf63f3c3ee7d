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
