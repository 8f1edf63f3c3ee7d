import Foundation
import URLLoadingTestServers
import URLProtocolTesting

@testable import URLLoading

/// For `file:` URLs.
struct FileFixture: URLProtocolFixture {
  private static let folder = Result { try TemporaryDirectory("kit") }

  var protocolClass: URLProtocol.Type { FileProtocol.self }
  var abilities: FixtureAbilities { [.replacing, .missing, .directories] }

  func place(_ bytes: Data, named name: String) async throws -> URL { try Self.folder.get().write(name, bytes) }

  func replace(_ url: URL, with bytes: Data) async throws { try bytes.write(to: url) }

  func missing() async throws -> URL { try Self.folder.get().file("nothing") }

  func directory(of files: [String: Data], named name: String) async throws -> URL {
    let folder = try Self.folder.get().file(name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, bytes) in files { try bytes.write(to: folder.appendingPathComponent(name)) }
    return URL(fileURLWithPath: folder.path, isDirectory: true)
  }

  func uploadTarget(named name: String) async throws -> URL { try Self.folder.get().file(name) }

  func contents(of url: URL) async throws -> Data { try Data(contentsOf: url) }
}
