internal import URLLoadingHTTPSemantics

/// Requests, responses and what belongs to challenges as the bytes that go over the wire: requests and responses, which each task has, in
/// their compact form, all else as property lists.
package enum BackgroundValues {
  package static func data(of request: URLRequest) -> Data { CompactForm.data { $0.request(request) } }

  package static func request(_ data: Data) -> URLRequest? { CompactForm.value(in: data) { $0.request() } }

  /// - Returns: a request without the fields whose names say that they may be credentials, and without the users and passwords of its
  ///   URLs; nil where it has none of these.
  package static func withoutSecrets(_ data: Data) -> Data? {
    request(data)?.withoutSecrets.map { self.data(of: $0) }
  }

  package static func data(of response: URLResponse) -> Data { CompactForm.data { $0.response(response) } }

  package static func response(_ data: Data) -> URLResponse? { CompactForm.value(in: data) { $0.response() } }

  package static func data(of space: URLProtectionSpace) -> Data { list(space.archivedList) }

  package static func protectionSpace(_ data: Data) -> URLProtectionSpace? {
    PropertyListReader.dictionary(from: data).flatMap(URLProtectionSpace.init(archived:))
  }

  /// A credential with its password: for the other process, not for a disk.
  package static func data(of credential: URLCredential) -> Data { list(credential.archivedList) }

  package static func credential(_ data: Data) -> URLCredential? {
    PropertyListReader.dictionary(from: data).flatMap(URLCredential.init(archived:))
  }

  /// A dictionary of plain values, the same bytes for the same values in every process; nil for one with others.
  package static func data(of dictionary: [AnyHashable: Any]) -> Data? {
    let strings = dictionary.reduce(into: [String: Any]()) { strings, pair in
      strings[String(describing: pair.key.base)] = (pair.value as? URL)?.absoluteString ?? pair.value
    }
    // Foundation sorts the keys of XML alone. There are texts that XML has no way to write.
    let xml = try? PropertyListSerialization.data(fromPropertyList: strings, format: .xml, options: 0)
    if let xml, PropertyListReader.dictionary(from: xml) != nil { return xml }
    return try? PropertyListSerialization.data(fromPropertyList: strings, format: .binary, options: 0)
  }

  package static func dictionary(_ data: Data) -> [String: Any]? { PropertyListReader.dictionary(from: data) }

  private static func list(_ values: [String: Any]) -> Data {
    // What these lists hold is plain by their making.
    (try? PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)) ?? Data()
  }
}

extension URLRequest {
  /// Nil where no name of a field says that it may be a credential, and no URL has a user.
  var withoutSecrets: URLRequest? {
    let secret = values.fields.fields.map { $0.name }.filter { SecretFields.contains($0) }
    let clearedURL = url.map { URLSecrets.removingAllCredentials($0) }
    let clearedDocument = mainDocumentURL.map { URLSecrets.removingAllCredentials($0) }
    guard !secret.isEmpty || clearedURL != url || clearedDocument != mainDocumentURL else { return nil }
    var request = self
    for name in secret { request.setValue(nil, forHTTPHeaderField: name) }
    request.url = clearedURL
    request.mainDocumentURL = clearedDocument
    return request
  }
}

extension URLResponse {
  /// The same without the users and passwords of its URL: responses are stored longer than their requests.
  package var withoutSecrets: URLResponse {
    guard let url, case let cleared = URLSecrets.removingAllCredentials(url), cleared != url else { return self }
    var list = nestedList
    list["url"] = cleared.absoluteString
    return URLResponse.nested(list) ?? self
  }
}
