import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Servers that offer Negotiate beside other ways, and clients without a ticket.
@Suite(.enabled("this machine has no GSS-API") { NegotiateLogin.isAvailable }, .timeLimit(.minutes(2)))
struct NegotiateBesideOthersTests {
  private static func server() throws -> ScriptedServer {
    try ScriptedServer.http { request in
      guard request.fields["Authorization"] == "Basic bWU6cHc=" else {
        return HTTPResponse(
          401,
          fields: HTTPFields([
            ("WWW-Authenticate", "Negotiate"), ("WWW-Authenticate", "Basic realm=\"x\""),
          ]), text: "refused")
      }
      return HTTPResponse(text: "hello")
    }
  }

  private static func url(_ server: ScriptedServer, login: String = "") -> URL {
    URL(string: "http://\(login)127.0.0.1:\(server.port)/") ?? server.url()
  }

  private func expectLogin(_ server: ScriptedServer, _ session: URLSession, _ url: URL) async throws {
    let collected = Watched<URLSessionTaskMetrics?>(nil)
    let listener = MetricsListener { metrics in collected.update { $0 = metrics } }
    let (data, _) = try await session.data(from: url, delegate: listener)
    #expect(String(decoding: data, as: UTF8.self) == "hello")
    #expect(server.requests.count == 2 && server.requests[0].fields["Authorization"] == nil)
    // As many transactions as there were requests.
    let statuses = collected.value?.transactionMetrics.map { ($0.response as? HTTPURLResponse)?.statusCode }
    #expect(statuses == [401, 200])
    session.invalidateAndCancel()
    await server.stop()
  }

  @Test func theURLsPasswordAnswersTheNext() async throws {
    let server = try Self.server()
    try await expectLogin(server, URLSession(configuration: .ephemeral), Self.url(server, login: "me:pw@"))
  }

  @Test func theStoragesPasswordAnswersTheNext() async throws {
    let server = try Self.server()
    let configuration = URLSessionConfiguration.ephemeral
    let space = URLProtectionSpace(
      host: "127.0.0.1", port: Int(server.port), protocol: "http", realm: "x",
      authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    configuration.urlCredentialStorage?.setDefaultCredential(
      URLCredential(user: "me", password: "pw", persistence: .forSession), for: space)
    try await expectLogin(server, URLSession(configuration: configuration), Self.url(server))
  }

  /// A delegate that answers every challenge, or leaves Negotiate to the system.
  @Test(arguments: [URLSession.AuthChallengeDisposition.useCredential, .performDefaultHandling, .rejectProtectionSpace])
  func theDelegateIsAskedAboutTheNext(disposition: URLSession.AuthChallengeDisposition) async throws {
    let server = try Self.server()
    let delegate = TrustDelegate { challenge in
      let isNegotiate = challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodNegotiate
      #expect(challenge.previousFailureCount == 0)
      return (
        isNegotiate ? disposition : .useCredential, URLCredential(user: "me", password: "pw", persistence: .none)
      )
    }
    try await expectLogin(server, delegate.session(), Self.url(server))
    #expect(delegate.methods == [NSURLAuthenticationMethodNegotiate, NSURLAuthenticationMethodHTTPBasic])
  }

  @Test func whatIsDeclinedIsTheAnswer() async throws {
    let server = try Self.server()
    let session = URLSession(configuration: .ephemeral)
    let (data, response) = try await session.data(from: Self.url(server))
    #expect((response as? HTTPURLResponse)?.statusCode == 401 && String(decoding: data, as: UTF8.self) == "refused")
    #expect(server.requests.count == 1)
    session.invalidateAndCancel()
    await server.stop()
  }
}

private final class MetricsListener: NSObject, URLSessionTaskDelegate, Sendable {
  private let take: @Sendable (URLSessionTaskMetrics) -> Void

  init(_ take: @escaping @Sendable (URLSessionTaskMetrics) -> Void) { self.take = take }

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    take(metrics)
  }
}
