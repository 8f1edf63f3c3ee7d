import Foundation
import URLLoading
import URLProtocolTesting

/// For an `AskingProtocol` with one fault.
struct AskingFixture: URLProtocolFixture {
  let fault: AskingFault
  /// Whether the protected resources are behind another login, with a protection space of its own.
  var hasGate = false

  var protocolClass: URLProtocol.Type { AskingProtocol.self }
  var abilities: FixtureAbilities { [.challenges, .redirects] }

  func place(_ bytes: Data, named name: String) async throws -> URL {
    AskingProtocol.store.update { $0[name] = bytes }
    return try url(name)
  }

  func protected(_ bytes: Data, named name: String) async throws -> ProtectedResource {
    _ = try await place(bytes, named: name)
    return ProtectedResource(
      url: try url("\(hasGate ? "gate" : "login")/\(name)"),
      credential: URLCredential(user: "reader", password: "secret", persistence: .none),
      protectionSpace: URLProtectionSpace(
        host: "\(fault)", port: 0, protocol: "asking", realm: "Shelf",
        authenticationMethod: NSURLAuthenticationMethodDefault))
  }

  func redirect(to target: URL?, named name: String) async throws -> URL {
    try url(target.map { "to/\($0.lastPathComponent)" } ?? "loop/\(name)")
  }

  private func url(_ path: String) throws -> URL {
    guard let url = URL(string: "asking://\(fault)/\(path)") else { throw URLError(.badURL) }
    return url
  }
}
