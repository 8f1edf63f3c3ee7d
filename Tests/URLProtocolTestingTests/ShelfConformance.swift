import Foundation
import Testing
import URLLoading
import URLProtocolTesting

/// What a class is asked that declares `DELETE` and `MKCOL`, and knows little else.
@Suite(.timeLimit(.minutes(2))) struct ShelfConformance {
  struct Fixture: URLProtocolFixture {
    var protocolClass: URLProtocol.Type { ShelfProtocol.self }
    var abilities: FixtureAbilities { [.missing] }

    private func url(_ name: String) throws -> URL {
      guard let url = URL(string: "shelf:/\(name)") else { throw URLError(.badURL) }
      return url
    }

    func place(_ bytes: Data, named name: String) async throws -> URL {
      let url = try url(name)
      ShelfProtocol.store.update { $0[url] = bytes }
      return url
    }

    func missing() async throws -> URL { try url("missing") }
    func uploadTarget(named name: String) async throws -> URL { try url(name) }
  }

  @Test(arguments: URLProtocolConformance.checks(for: Fixture()))
  func conforms(_ check: ConformanceCheck) async throws { try await check.run(Fixture()) }

  @Test func itsVerbsAreChecked() {
    let names = URLProtocolConformance.checks(for: Fixture()).map(\.name)
    #expect(names.contains("DELETE removes what a URL names") && names.contains("MKCOL makes a directory"))
  }
}
