import Foundation
import Testing
import URLLoadingTestServers

/// Proxies that want a login, by status 407, and what `-U` sends to them.
@Suite(.timeLimit(.minutes(2))) struct ProxyLoginTests {
  private static func proxy() throws -> ScriptedServer {
    try ScriptedServer.http { request in
      request.fields["Proxy-Authorization"] == "Basic bWU6cHc="
        ? HTTPResponse(text: request.target)
        : HTTPResponse(407, fields: ["Proxy-Authenticate": "Basic realm=\"p\""], text: "who?\n")
    }
  }

  @Test func aLoginIsSentToTheProxyAlone() async throws {
    let proxy = try Self.proxy()
    let place = proxy.url("").absoluteString
    let inURL = place.replacing("http://", with: "http://me:pw@")
    for options in [["-x", place, "-U", "me:pw"], ["-x", place, "--proxy-user=me:pw"], ["-x", inURL]] {
      let outcome = try await Urlload.run(options + ["http://example.invalid/a"])
      #expect(outcome.status == .exited(0), "\(options): \(outcome.error)")
      #expect(outcome.text == "http://example.invalid/a", "\(options)")
    }
    #expect(proxy.requests.allSatisfy { $0.fields["Authorization"] == nil })
  }

  @Test(arguments: [[], ["-U", "me:wrong"], ["-u", "me:pw"]]) func aRefusalNamesTheOption(login: [String]) async throws
  {
    let proxy = try Self.proxy()
    let advice = ": give user and password with -x URL -U USER:PASSWORD"
    let options = ["-x", proxy.url("").absoluteString] + login
    let plain = try await Urlload.run(options + ["http://example.invalid/a"])
    #expect(plain.status == .exited(7) && plain.text == "who?\n", "\(plain.error)")
    #expect(plain.error.contains("the server answered 407 ") && plain.error.contains(advice), "\(plain.error)")
    // A tunnel.
    let secure = try await Urlload.run(options + ["https://example.invalid/a"])
    #expect(secure.status == .exited(7) && secure.output.isEmpty, "\(secure.error)")
    #expect(secure.error.contains("the proxy wants another login") && secure.error.contains(advice), "\(secure.error)")
  }
}
