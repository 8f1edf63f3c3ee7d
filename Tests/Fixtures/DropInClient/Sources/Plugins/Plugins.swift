import ArchiveProtocol
import Foundation
import FoundationNetworking
import SFTPProtocol
import URLProtocolTesting
import WebDAVProtocol

/// A scheme of the program's own: files by another name.
final class KitProtocol: AsyncURLProtocol, @unchecked Sendable {
  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "kit" }

  override func load(_ request: URLRequest, to writer: Writer) async throws {
    guard let path = request.url?.path else { throw URLError(.badURL) }
    try await writer.respond(mimeType: "application/octet-stream")
    try await writer.write(Data(contentsOf: URL(fileURLWithPath: path)))
  }
}

/// Bytes in files of a folder, for the conformance kit.
struct KitFixture: URLProtocolFixture {
  var folder: URL
  var protocolClass: URLProtocol.Type { KitProtocol.self }

  func place(_ bytes: Data, named name: String) async throws -> URL {
    let file = folder.appendingPathComponent(name)
    try bytes.write(to: file)
    var components = URLComponents()
    (components.scheme, components.host, components.path) = ("kit", "here", file.path)
    guard let url = components.url else { throw URLError(.badURL) }
    return url
  }
}

/// Loads a member of an archive and a file of an SSH server, and runs a check of the conformance kit.
@main struct Plugins {
  static func main() async throws {
    let arguments = CommandLine.arguments
    URLProtocol.registerClass(ArchiveProtocol.self)
    URLProtocol.registerClass(SFTPProtocol.self)
    URLProtocol.registerClass(WebDAVProtocol.self)
    for url in arguments[1...2].compactMap({ URL(string: $0) }) {
      let (data, _) = try await URLSession.shared.data(from: url)
      print(url.scheme ?? "-", data.count)
    }
    let fixture = KitFixture(folder: URL(fileURLWithPath: arguments[3], isDirectory: true))
    let checks = URLProtocolConformance.checks(for: fixture)
    try await checks.first?.run(fixture)
    print("checks:", checks.count > 10)
  }
}
