import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// What sessions take from the environment. The environment of a process is set before it starts, so each test runs
/// one test of ``EnvironmentChild`` in a process of its own.
@Suite(.timeLimit(.minutes(4))) struct EnvironmentTests {
  private func run(_ url: URL, _ environment: [String: String?]) async throws -> Command.Outcome {
    var variables = environment
    variables[EnvironmentChild.variable] = url.absoluteString
    // What one run has cached must not answer the next one, which is to reach the server, or not to.
    let stores = try TemporaryDirectory("environment")
    for variable in ["XDG_CACHE_HOME", "XDG_DATA_HOME"] { variables[variable] = stores.path }
    let runner = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let bundle = CommandLine.arguments.drop { !$0.hasSuffix("--test-bundle-path") }.prefix(2)
    return try await Command.run(
      runner, Array(bundle) + ["--testing-library", "swift-testing", "--filter", "EnvironmentChild"],
      environment: variables, timeout: .seconds(30))
  }

  @Test func theProxyComesFromTheEnvironment() async throws {
    let squid = try await SquidServer.shared
    let url = try await NginxServer.shared.url("/small.txt?environment")
    let outcome = try await run(url, ["http_proxy": squid.url.absoluteString, "no_proxy": nil])
    #expect(outcome.status == .exited(0), "\(outcome.text) \(outcome.error)")
    #expect(await squid.waitForRequest("GET \(url.absoluteString) 200"))
  }

  @Test func hostsInNoProxyAreReachedDirectly() async throws {
    let url = try await NginxServer.shared.url()
    let dead = "http://127.0.0.1:\(try FreePort.pick())"
    #expect(try await run(url, ["http_proxy": dead, "no_proxy": "127.0.0.1"]).status == .exited(0))
    #expect(try await run(url, ["http_proxy": dead, "no_proxy": nil]).status != .exited(0))
  }

  @Test func theLanguagesAreThoseOfTheUsersLocale() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(body: Data(count: 1024)) }
    var environment: [String: String?] = ["http_proxy": nil, "LC_ALL": nil, "LC_MESSAGES": nil, "LANGUAGE": "de_DE:en"]
    for language in ["de_DE.UTF-8", "C.UTF-8", "POSIX"] {
      environment["LANG"] = language
      let outcome = try await run(server.url(), environment)
      #expect(outcome.status == .exited(0), "\(outcome.text) \(outcome.error)")
    }
    #expect(server.requests.map { $0.fields["Accept-Language"] } == ["de-DE,de;q=0.9,en;q=0.8", nil, nil])
  }

  @Test func sslCertFileNamesTheAuthorities() async throws {
    let url = try await NginxServer.shared.url(on: .https)
    let authority = try await TestCertificates.shared.authority
    let trusted = try await run(url, ["SSL_CERT_FILE": authority.path])
    #expect(trusted.status == .exited(0), "\(trusted.text) \(trusted.error)")
    #expect(try await run(url, ["SSL_CERT_FILE": nil]).status != .exited(0))
  }

  @Test func sslCertDirNamesAFolderOfAuthorities() async throws {
    let url = try await NginxServer.shared.url(on: .https)
    let folder = try TemporaryDirectory("authorities")
    try folder.write("ca.pem", Data(contentsOf: try await TestCertificates.shared.authority))
    try await Command.check("openssl", ["rehash", folder.path])
    let trusted = try await run(url, ["SSL_CERT_DIR": folder.path, "SSL_CERT_FILE": nil])
    #expect(trusted.status == .exited(0), "\(trusted.text) \(trusted.error)")
  }
}

/// Loads the URL that the environment names, which must give 1,024 bytes.
@Suite(.timeLimit(.minutes(4))) struct EnvironmentChild {
  static let variable = "URL_LOADING_TEST_CHILD_URL"
  private static let url = ProcessInfo.processInfo.environment[variable].flatMap { URL(string: $0) }

  @Test(.enabled(if: url != nil)) func loads() async throws {
    let (body, response) = try await URLSession.shared.data(from: try #require(Self.url))
    #expect((response as? HTTPURLResponse)?.statusCode == 200 && body.count == 1024)
  }
}
