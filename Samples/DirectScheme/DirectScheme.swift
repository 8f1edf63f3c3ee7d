import URLLoading

// Loads URLs, such as square://12, in a session whose loads are direct: it has no cache to ask, and no other classes.
// usage: DirectScheme URL...
@main struct DirectScheme {
  static func main() async throws {
    let configuration = URLSessionConfiguration.default
    configuration.protocolClasses = [SquareProtocol.self]
    configuration.urlCache = nil
    let session = URLSession(configuration: configuration)
    for url in CommandLine.arguments.dropFirst().compactMap({ URL(string: $0) }) {
      let (data, response) = try await session.data(from: url)
      print(url, response.mimeType ?? "-", String(decoding: data.prefix(40), as: UTF8.self))
    }
  }
}
