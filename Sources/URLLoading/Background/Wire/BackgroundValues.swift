/// Requests, responses and what belongs to challenges as the binary property lists that go over the wire.
package enum BackgroundValues {
  package static func data(of request: URLRequest) -> Data { list(request.propertyList) }

  package static func request(_ data: Data) -> URLRequest? {
    PropertyListReader.dictionary(from: data).flatMap(URLRequest.init(propertyList:))
  }

  /// - Returns: a request without the fields whose names say that they may be credentials; nil where it has none.
  package static func withoutSecretFields(_ data: Data) -> Data? {
    guard var request = request(data) else { return nil }
    let secret = (request.allHTTPHeaderFields ?? [:]).keys.filter { SecretFields.contains($0) }
    guard !secret.isEmpty else { return nil }
    for name in secret { request.setValue(nil, forHTTPHeaderField: name) }
    return self.data(of: request)
  }

  package static func data(of response: URLResponse) -> Data { list(response.nestedList) }

  package static func response(_ data: Data) -> URLResponse? {
    URLResponse.nested(PropertyListReader.dictionary(from: data))
  }

  package static func data(of space: URLProtectionSpace) -> Data { list(space.archivedList) }

  package static func protectionSpace(_ data: Data) -> URLProtectionSpace? {
    PropertyListReader.dictionary(from: data).flatMap(URLProtectionSpace.init(archived:))
  }

  /// A credential with its password: for the other process, not for a disk.
  package static func data(of credential: URLCredential) -> Data { list(credential.archivedList) }

  package static func credential(_ data: Data) -> URLCredential? {
    PropertyListReader.dictionary(from: data).flatMap(URLCredential.init(archived:))
  }

  /// A dictionary of plain values; nil for one with others.
  package static func data(of dictionary: [AnyHashable: Any]) -> Data? {
    let strings = dictionary.reduce(into: [String: Any]()) { $0[String(describing: $1.key.base)] = $1.value }
    return try? PropertyListSerialization.data(fromPropertyList: strings, format: .binary, options: 0)
  }

  package static func dictionary(_ data: Data) -> [String: Any]? { PropertyListReader.dictionary(from: data) }

  private static func list(_ values: [String: Any]) -> Data {
    // What these lists hold is plain by their making.
    (try? PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)) ?? Data()
  }
}
