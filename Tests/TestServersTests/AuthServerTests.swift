import Foundation
import Testing
import URLLoadingTestServers

@Suite struct AuthServerTests {
  private let login = ["-u", "\(AuthServer.user):\(AuthServer.password)"]

  @Test(arguments: ["md5", "sha256", "both", "legacy", "stale"]) func takesDigest(path: String) async throws {
    let server = try await AuthServer.shared
    let url = server.url("/digest/\(path)?q=1").absoluteString
    let code = ["-o", "/dev/null", "-w", "%{response_code}"]
    #expect(try await Curl.run(code + [url]).text == "401")
    #expect(try await Curl.run(code + ["--digest", "-u", "\(AuthServer.user):wrong", url]).text == "401")
    let outcome = try await Curl.run(["--digest", "-d", "body"] + login + [url])
    let answer = try #require(try JSONSerialization.jsonObject(with: outcome.output) as? [String: String])
    #expect(answer["user"] == AuthServer.user && answer["body"] == "body" && answer["scheme"] == "Digest")
    #expect(answer["algorithm"] == (path == "legacy" ? nil : path == "sha256" || path == "both" ? "SHA-256" : "MD5"))
  }

  @Test func refusesStaleNonces() async throws {
    let server = try await AuthServer.start()
    let url = server.url("/digest/stale").absoluteString
    // The second request uses the nonce again, and is told to take a new one.
    let outcome = try await Curl.run(["--digest"] + login + [url, url])
    #expect(outcome.status == .exited(0))
    let statuses = server.requests.compactMap { $0.split(separator: " ").dropFirst(2).first }
    #expect(statuses == ["401", "200", "401", "200"])
    await server.stop()
  }

  @Test func takesBasic() async throws {
    let server = try await AuthServer.shared
    let outcome = try await Curl.run(login + [server.url("/basic").absoluteString])
    let answer = try #require(try JSONSerialization.jsonObject(with: outcome.output) as? [String: String])
    #expect(answer["user"] == AuthServer.user && answer["scheme"] == "Basic")
  }
}
