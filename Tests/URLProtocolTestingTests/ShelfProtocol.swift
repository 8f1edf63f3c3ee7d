import Foundation
import URLLoading
import URLLoadingTestServers

/// Files and directories in memory, which are removed and made: as little as a class needs for these verbs.
final class ShelfProtocol: AsyncURLProtocol, @unchecked Sendable {
  /// The bytes by URL; nil for a directory.
  static let store = Watched<[URL: Data?]>([:])

  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "shelf" }
  override class var capabilities: Capabilities {
    [super.capabilities, .acceptedHTTPMethods("GET", "HEAD", "DELETE", "MKCOL")]
  }

  override func load(_ request: URLRequest, to writer: Writer) async throws {
    guard let url = request.url else { return }
    let result = Self.store.update { store -> Result<Data, URLError> in
      func fail(_ code: URLError.Code) -> Result<Data, URLError> { .failure(URLError(code, message: "No.", url: url)) }
      switch (request.httpMethod, store[url]) {
      case ("MKCOL", nil): store[url] = .some(nil)
      case ("MKCOL", _): return fail(.cannotCreateFile)
      case (_, nil): return fail(.fileDoesNotExist)
      case ("DELETE", _): store[url] = nil
      case (_, .some(nil)): return fail(.fileIsDirectory)
      case (_, .some(let bytes?)): return .success(bytes)
      }
      return .success(Data())
    }
    let bytes = try result.get()
    try await writer.respond(mimeType: nil, length: Int64(bytes.count))
    // Each piece waits until there is room for it.
    for start in stride(from: 0, to: request.httpMethod == "GET" ? bytes.count : 0, by: 64 << 10) {
      try await writer.write(bytes[start..<min(start + (64 << 10), bytes.count)])
    }
  }
}
