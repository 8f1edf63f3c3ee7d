/// Loading with `async` functions without a delegate. Apple's class has these overloads too: protocols that abstract a
/// session for tests require these signatures, which a default argument does not satisfy. FoundationNetworking's class has none of them, so
/// that subclasses declare them for themselves.
extension ShadowableMembers where Self: URLSession {
  /// Loads a resource into memory.
  @_disfavoredOverload
  public func data(from url: URL) async throws -> (Data, URLResponse) {
    try await data(from: url, delegate: nil)
  }

  /// Loads a resource into memory.
  @_disfavoredOverload
  public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
    try await data(for: request, delegate: nil)
  }

  /// Uploads bytes and returns the server's answer.
  @_disfavoredOverload
  public func upload(for request: URLRequest, from bodyData: Data) async throws -> (Data, URLResponse) {
    try await upload(for: request, from: bodyData, delegate: nil)
  }

  /// Uploads a file, which is read as it is sent, and returns the server's answer.
  @_disfavoredOverload
  public func upload(for request: URLRequest, fromFile fileURL: URL) async throws -> (Data, URLResponse) {
    try await upload(for: request, fromFile: fileURL, delegate: nil)
  }
}
