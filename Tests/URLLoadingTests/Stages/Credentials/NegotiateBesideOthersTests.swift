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

  /// The URL's password, which is sent at once as basic authentication, answers the next challenge as well.
  @Test func theURLsPasswordAnswersTheNext() async throws {
    let server = try ScriptedServer.http { request in
      if request.fields["Authorization"]?.hasPrefix("Digest ") == true { return HTTPResponse(text: "hello") }
      return HTTPResponse(
        401,
        fields: HTTPFields([
          ("WWW-Authenticate", "Negotiate"), ("WWW-Authenticate", "Digest realm=\"x\", nonce=\"n\""),
        ]))
    }
    let session = URLSession(configuration: .ephemeral)
    let url = try #require(URL(string: "http://me:pw@127.0.0.1:\(server.port)/"))
    #expect(try await String(decoding: session.data(from: url).0, as: UTF8.self) == "hello")
    session.invalidateAndCancel()
    await server.stop()
  }

  @Test func theStoragesPasswordAnswersTheNext() async throws {
    let server = try Self.server()
    let configuration = URLSessionConfiguration.ephemeral
    let space = URLProtectionSpace(
      host: "127.0.0.1", port: Int(server.port), protocol: "http", realm: "x",
      authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    configuration.urlCredentialStorage?.setDefaultCredential(
      URLCredential(user: "me", password: "pw", persistence: .forSession), for: space)
    try await expectLogin(server, URLSession(configuration: configuration), server.url())
  }

  /// A delegate that answers every challenge, or leaves Negotiate to the system.
  @Test(arguments: [URLSession.AuthChallengeDisposition.useCredential, .performDefaultHandling, .rejectProtectionSpace])
  func theDelegateIsAskedAboutTheNext(disposition: URLSession.AuthChallengeDisposition) async throws {
    let server = try Self.server()
    let delegate = LoginDelegate(aboutNegotiate: disposition)
    let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
    try await expectLogin(server, session, server.url())
    #expect(delegate.methods.value == [NSURLAuthenticationMethodNegotiate, NSURLAuthenticationMethodHTTPBasic])
  }

  @Test func whatIsDeclinedIsTheAnswer() async throws {
    let server = try Self.server()
    let session = URLSession(configuration: .ephemeral)
    let (data, response) = try await session.data(from: server.url())
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

/// Answers challenges of the connection and of the task, and records their methods.
private final class LoginDelegate: NSObject, URLSessionTaskDelegate, Sendable {
  let methods = Watched<[String]>([])
  private let aboutNegotiate: URLSession.AuthChallengeDisposition

  init(aboutNegotiate: URLSession.AuthChallengeDisposition) { self.aboutNegotiate = aboutNegotiate }

  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    answer(challenge, aboutNegotiate, completionHandler)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    answer(challenge, .useCredential, completionHandler)
  }

  private func answer(
    _ challenge: URLAuthenticationChallenge, _ disposition: URLSession.AuthChallengeDisposition,
    _ completionHandler: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    methods.update { $0.append(challenge.protectionSpace.authenticationMethod) }
    completionHandler(disposition, URLCredential(user: "me", password: "pw", persistence: .none))
  }
}
