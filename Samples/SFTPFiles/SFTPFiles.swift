import SFTPProtocol
import URLLoading

/// Stores a file in a folder of an SFTP server, lists the folder, and loads the file and a part of it.
@main struct SFTPFiles {
  static func main() async throws {
    URLProtocol.registerClass(SFTPProtocol.self)
    let argument = CommandLine.arguments.dropFirst().first ?? "sftp://localhost/~/"
    guard let folder = URL(string: argument) else { return print("\(argument) is no URL") }
    let session = URLSession.shared

    var request = URLRequest(url: folder.appending(component: "greeting.txt"))
    request.httpMethod = "PUT"
    _ = try await session.upload(for: request, from: Data("Hello over SSH.".utf8))

    for try await entry in session.entries(at: folder) {
      print(entry.kind.rawValue, entry.size.map(String.init) ?? "-", entry.name)
    }

    request.httpMethod = "GET"
    let (whole, response) = try await session.data(for: request)
    print(String(decoding: whole, as: UTF8.self), response.mimeType ?? "-")
    request.setValue("bytes=-4", forHTTPHeaderField: "Range")
    print(String(decoding: try await session.data(for: request).0, as: UTF8.self))
  }
}
