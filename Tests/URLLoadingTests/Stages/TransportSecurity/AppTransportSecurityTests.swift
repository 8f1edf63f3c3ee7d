import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Loads of sessions with rules of App Transport Security.
@Suite(.timeLimit(.minutes(4))) struct AppTransportSecurityTests {
  private let nginx: NginxServer
  private let authority: URL

  init() async throws {
    nginx = try await NginxServer.shared
    authority = try await TestCertificates.shared.authority
  }

  private func client(_ dictionary: sending [String: Any], classes: [AnyClass] = []) -> RecordedSession {
    let rules = AppTransportSecurity(dictionary)
    return RecordedSession {
      $0.certificateAuthorityFile = authority
      $0.appTransportSecurity = rules
      $0.protocolClasses = classes
    }
  }

  private func expectRefusal(_ record: LoadRecord, _ words: String..., at location: SourceLocation = #_sourceLocation) {
    #expect(record.code == .appTransportSecurityRequiresSecureConnection, sourceLocation: location)
    let text = record.error?.localizedDescription ?? ""
    for word in words { #expect(text.contains(word), "\(text)", sourceLocation: location) }
    #expect(record.response == nil && record.completions == 1, sourceLocation: location)
  }

  @Test(arguments: TaskKind.allCases) func plainHTTPIsRefused(_ kind: TaskKind) async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "ok") }
    let client = client([:])
    let record = await client.load(server.url(), by: kind)
    #expect(record.code == .appTransportSecurityRequiresSecureConnection)
    #expect(record.error?.localizedDescription.contains("127.0.0.1") == true)
    // Not even a connection is made.
    #expect(server.connectionCount == 0)
    #expect(await client.load(nginx.url(on: .https), by: kind).body == DocumentRoot.small)
  }

  @Test func withoutRulesEverythingIsAsEver() async {
    #expect(URLSessionConfiguration.default.appTransportSecurity == nil)
    #expect(await RecordedSession().load(nginx.url()).body == DocumentRoot.small)
  }

  @Test func exceptionsAreAllowed() async {
    #expect(await client(["NSAllowsLocalNetworking": true]).load(nginx.url()).body == DocumentRoot.small)
    let insecure = ["NSExceptionAllowsInsecureHTTPLoads": true]
    let client = client(["NSExceptionDomains": ["127.0.0.0/8": insecure]])
    #expect(await client.load(nginx.url()).body == DocumentRoot.small)
    expectRefusal(await client.load(nginx.url(host: "localhost")), "localhost", "NSExceptionDomains")
  }

  @Test func uploadsAreRefused() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "ok") }
    var request = URLRequest(url: server.url())
    request.httpMethod = "POST"
    for kind in TaskKind.uploads {
      let record = try await client([:]).upload(Data("x".utf8), to: request, by: kind)
      #expect(record.code == .appTransportSecurityRequiresSecureConnection, "\(kind)")
    }
    #expect(server.connectionCount == 0)
  }

  @Test func theTargetOfARedirectIsJudged() async {
    let target = nginx.url("/echo", host: "localhost").absoluteString
    let record = await client([:]).load(nginx.url("/redirect/302?to=\(target)", on: .https))
    #expect(record.code == .appTransportSecurityRequiresSecureConnection)
    #expect(record.error?.localizedDescription.contains("localhost") == true)
    #expect(record.redirects.count == 1)
  }

  /// A request that becomes one of https is judged as that.
  @Test func whatHSTSUpgradesIsJudgedAfterwards() async throws {
    let client = client([:])
    client.session.parts.policyStorage.recordTransportSecurity(
      "max-age=1000", from: "localhost", isSecure: true, isVerified: true)
    let url = try #require(URL(string: "http://localhost:\(nginx.port(.https))/echo"))
    let record = await client.load(url)
    #expect(record.status == 200 && record.response?.url?.scheme == "https", "\(String(describing: record.error))")
  }

  @Test func plainFTPIsRefused() async throws {
    let url = try #require(URL(string: "ftp://127.0.0.1/a"))
    expectRefusal(await client([:]).load(url), "plain ftp", "ftps")
    // Listings as well.
    let client = client([:])
    await #expect(throws: URLError.self) { for try await _ in client.session.entries(at: url) {} }
  }

  @Test func otherSchemesAndClassesAreNotJudged() async throws {
    #expect(await client([:]).load("data:,x").text == "x")
    #expect(await client(["unknown": 1]).load("data:,x").text == "x")
    let record = await client([:], classes: [OwnHTTP.self]).load("http://own.example/")
    #expect(record.text == "own", "\(String(describing: record.error))")
  }

  @Test func whatCannotBeReadFailsLoads() async {
    let client = client(["NSAllowsArbitraryLoads": "YES"])
    for url in [nginx.url(), nginx.url(on: .https)] {
      expectRefusal(await client.load(url), "NSAllowsArbitraryLoads", "a Boolean")
    }
  }

  @Test func requirementsAreThoseOfTheURL() async throws {
    let session = client(["NSAllowsLocalNetworking": true]).session
    #expect(session.transportSecurityRequirements(for: "https://127.0.0.1/") == nil)
    let requirements = try #require(session.transportSecurityRequirements(for: "https://example.org/"))
    #expect(requirements.minimumTLSVersion == .TLSv12 && requirements.requiresForwardSecrecy)
    #expect(RecordedSession().session.transportSecurityRequirements(for: "https://example.org/") == nil)
  }

  /// A session keeps what its configuration said when it was made.
  @Test func theConfigurationIsCopied() {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.appTransportSecurity = AppTransportSecurity([:])
    let session = URLSession(configuration: configuration)
    configuration.appTransportSecurity = nil
    #expect(session.configuration.appTransportSecurity != nil)
    session.invalidateAndCancel()
  }
}

/// Stands for a host of `http`, and loads nothing.
private final class OwnHTTP: AsyncURLProtocol, @unchecked Sendable {
  override class func canInit(with request: URLRequest) -> Bool { request.url?.host() == "own.example" }

  override func load(_ request: URLRequest, to writer: Writer) async throws {
    try await writer.respond(mimeType: "text/plain")
    try await writer.write(Data("own".utf8))
  }
}
