import URLLoading

/// Stores a file in a directory of a WebDAV server, lists the directory, and loads the file and a part of it.
// usage: WebDAVScheme dav://user:password@host/directory/
@main struct WebDAVScheme {
  static func main() async throws {
    URLProtocol.registerClass(WebDAVProtocol.self)
    let argument = CommandLine.arguments.dropFirst().first ?? "dav://localhost/"
    guard let directory = URL(string: argument) else { return print("\(argument) is no URL") }
    let session = URLSession.shared
    let file = directory.appending(component: "greeting.txt")
    _ = try await session.upload(for: URLRequest(url: file), from: Data("Hello over WebDAV.".utf8))

    for try await entry in session.entries(at: directory) {
      print(entry.kind.rawValue, entry.size.map(String.init) ?? "-", entry.name)
    }

    let (whole, response) = try await session.data(from: file)
    print(String(decoding: whole, as: UTF8.self), response.mimeType ?? "-")
    var part = URLRequest(url: file)
    part.setValue("bytes=-7", forHTTPHeaderField: "Range")
    print(String(decoding: try await session.data(for: part).0, as: UTF8.self))
  }
}
