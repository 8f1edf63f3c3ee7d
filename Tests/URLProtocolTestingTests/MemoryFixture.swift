import Foundation
import URLLoading
import URLProtocolTesting

@testable import URLLoadingMemoryScheme

/// For the sample, an `AsyncURLProtocol`.
struct MemoryFixture: URLProtocolFixture {
  var protocolClass: URLProtocol.Type { MemoryProtocol.self }
  var abilities: FixtureAbilities { [.replacing, .missing] }

  func place(_ bytes: Data, named name: String) async throws -> URL {
    let url = try url(name)
    await MemoryStore.shared.put(bytes, at: url)
    return url
  }

  func replace(_ url: URL, with bytes: Data) async throws { await MemoryStore.shared.put(bytes, at: url) }

  func missing() async throws -> URL { try url("nothing") }

  func uploadTarget(named name: String) async throws -> URL { try url(name) }

  func contents(of url: URL) async throws -> Data {
    guard let item = await MemoryStore.shared.item(at: url) else { throw URLError(.fileDoesNotExist) }
    return item.bytes
  }

  private func url(_ name: String) throws -> URL {
    guard let url = URL(string: "memory:/\(name)") else { throw URLError(.badURL) }
    return url
  }
}
