import Foundation
import Testing
import URLLoadingTestServers

/// What scripts written for curl rely on.
@Suite(.timeLimit(.minutes(2))) struct CurlHabitTests {
  private static func echo() throws -> ScriptedServer {
    try ScriptedServer.http { request in
      if request.target.hasPrefix("/redirect") { return .redirect(to: "/seen?\(request.target)") }
      return HTTPResponse(
        text: "\(request.method) \(request.fields["Content-Type"] ?? "none") \(request.fields["Referer"] ?? "none")")
    }
  }

  @Test func dataHasTheTypeOfAForm() async throws {
    let server = try Self.echo()
    let form = "application/x-www-form-urlencoded"
    for (options, expected) in [
      (["-d", ""], "POST \(form) none"), (["-d", "", "-X", "PUT"], "PUT \(form) none"),
      (["-d", "a=b", "-X", "PATCH"], "PATCH \(form) none"), (["--data-binary", ""], "POST \(form) none"),
      (["-d", "", "-H", "Content-Type:"], "POST none none"),
      (["-d", "", "-H", "content-type: text/x"], "POST text/x none"),
      (["--json", ""], "POST application/json none"), (["-G", "-d", ""], "GET none none"),
    ] {
      #expect(try await Urlload.run(options + [server.url().absoluteString]).text == expected, "\(options)")
    }
    await server.stop()
  }

  @Test func redirectsNameTheURLBeforeThem() async throws {
    let server = try Self.echo()
    let base = "http://127.0.0.1:\(server.port)"
    for (referer, expected) in [
      ("http://start/;auto", "\(base)/redirect?a=1"), (";auto", "\(base)/redirect?a=1"),
      ("http://start/", "http://start/"),
    ] {
      let url = "http://me:pw@127.0.0.1:\(server.port)/redirect?a=1#here"
      let outcome = try await Urlload.run(["-e", referer, url])
      #expect(outcome.text == "GET none \(expected)", "\(referer): \(outcome.error)")
    }
    let first = server.requests.filter { $0.target.hasPrefix("/redirect") }.map { $0.fields["Referer"] }
    #expect(first == ["http://start/", nil, "http://start/"])
    await server.stop()
  }

  @Test func hostsThatAreReachedWithoutAProxy() async throws {
    let server = try Self.echo()
    let closed = "http://127.0.0.1:\(try FreePort.pick())"
    let place = "127.0.0.1:\(server.port)"
    for (options, variables, isDirect) in [
      ([], ["no_proxy": "127.0.0.1"], true), ([], ["NO_PROXY": "127.0.0.1"], true), ([], ["no_proxy": place], true),
      ([], ["no_proxy": "127.0.0.1:1"], false), (["--noproxy", ""], ["NO_PROXY": "127.0.0.1"], false),
      (["--noproxy", ""], ["no_proxy": "127.0.0.1"], false), (["--noproxy", place], [:], true),
      (["-x", closed], ["NO_PROXY": "127.0.0.1"], true),
      (["-x", closed, "--noproxy", ""], ["NO_PROXY": "127.0.0.1"], false),
      (["-x", closed, "--noproxy", "other \(place)"], [:], true),
    ] as [([String], [String: String?], Bool)] {
      let environment = ["http_proxy": closed, "no_proxy": nil, "NO_PROXY": nil].merging(variables) { $1 }
      let outcome = try await Urlload.run(options + [server.url().absoluteString], environment: environment)
      #expect(outcome.status == .exited(isDirect ? 0 : 4), "\(options) \(variables): \(outcome.error)")
    }
    await server.stop()
  }

  @Test func aVariableThatNamesNoProxyIsAnError() async throws {
    let server = try Self.echo()
    let url = server.url().absoluteString
    for (variable, value) in [("http_proxy", "foo bar"), ("all_proxy", "gopher://h:1"), ("ALL_PROXY", "h:port")] {
      let outcome = try await Urlload.run([url], environment: [variable: value])
      #expect(outcome.status == .exited(2) && outcome.error.contains("\(variable) names no proxy"), "\(outcome.error)")
      for way in [["-x", ""], ["--noproxy", "127.0.0.1"]] {
        #expect(try await Urlload.run(way + [url], environment: [variable: value]).status == .exited(0))
      }
    }
    #expect(try await Urlload.run([url], environment: ["https_proxy": "foo bar"]).status == .exited(0))
    #expect(server.connectionCount == 7)
    await server.stop()
  }
}
