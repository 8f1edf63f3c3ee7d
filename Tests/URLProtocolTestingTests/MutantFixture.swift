import URLLoading
import URLProtocolTesting

/// For a `MutantProtocol` with one fault.
struct MutantFixture: URLProtocolFixture {
  let fault: Fault

  var protocolClass: URLProtocol.Type { MutantProtocol.self }
  var abilities: FixtureAbilities { [.replacing, .missing] }

  func place(_ bytes: Data, named name: String) async throws -> URL {
    let url = try url(name)
    MutantStore.put(bytes, at: url)
    return url
  }

  func replace(_ url: URL, with bytes: Data) async throws { MutantStore.put(bytes, at: url) }

  func missing() async throws -> URL { try url("nothing?key=secret") }

  func uploadTarget(named name: String) async throws -> URL { try url(name) }

  func contents(of url: URL) async throws -> Data { MutantStore.item(at: url)?.bytes ?? Data() }

  private func url(_ name: String) throws -> URL {
    guard let url = URL(string: "mutant://\(fault.rawValue)/\(name)") else { throw URLError(.badURL) }
    return url
  }
}
