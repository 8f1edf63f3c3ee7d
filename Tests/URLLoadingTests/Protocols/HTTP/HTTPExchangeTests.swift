import Foundation
import Testing
import URLLoadingCurlTransport

@testable import URLLoading

@Suite struct HTTPExchangeTests {
  private func request(_ url: String = "http://example.org/a", method: String = "GET") throws -> URLRequest {
    var request = URLRequest(url: try #require(URL(string: url)))
    request.httpMethod = method
    return request
  }

  private func response(_ status: Int, _ fields: [(String, String)] = []) throws -> HTTPURLResponse {
    HTTPURLResponse(
      url: try #require(URL(string: "http://example.org/a")), statusCode: status, httpVersion: "HTTP/1.1",
      fields: fields)
  }

  private func challenge(_ action: HTTPExchange.HeadAction) throws -> (space: URLProtectionSpace, failures: Int) {
    guard case .challenge(let space, let failures) = action else {
      Issue.record("no challenge but \(action)")
      throw CancellationError()
    }
    return (space, failures)
  }

  private func isDelivered(_ action: HTTPExchange.HeadAction) -> Bool {
    if case .deliver = action { true } else { false }
  }

  @Test(arguments: [200, 204, 206, 300, 304, 305, 400, 402, 403, 404, 416, 500, 999])
  func plainResponses(status: Int) throws {
    var exchange = HTTPExchange()
    #expect(isDelivered(exchange.received(try response(status, [("Location", "/b")]), for: try request())))
    #expect(!exchange.awaitsAnswer)
  }

  @Test func redirectDropsTheBody() throws {
    var exchange = HTTPExchange()
    var post = try request(method: "POST")
    post.httpBody = Data([1])
    post.setValue("a/b", forHTTPHeaderField: "Content-Type")
    guard case .redirect(let next) = exchange.received(try response(303, [("Location", "/b")]), for: post) else {
      return #expect(Bool(false), "no redirect")
    }
    #expect(next.url?.absoluteString == "http://example.org/b")
    #expect(next.httpMethod == "GET")
    #expect(next.httpBody == nil)
    #expect(next.value(forHTTPHeaderField: "Content-Type") == nil)
    #expect(exchange.isRedirect)
  }

  @Test func redirectsThatLeadNowhere() throws {
    var exchange = HTTPExchange()
    #expect(isDelivered(exchange.received(try response(302), for: try request())))
    guard case .fail(let error) = exchange.received(try response(302, [("Location", "http://")]), for: try request())
    else { return #expect(Bool(false), "no failure") }
    #expect(error.code == .badServerResponse)
    #expect(!exchange.isRedirect)
  }

  @Test func theStrongestOfferIsAskedForFirst() throws {
    var exchange = HTTPExchange()
    let head = try response(
      401,
      [
        ("WWW-Authenticate", "Basic realm=\"b\", Unknown x=y"),
        ("WWW-Authenticate", "Digest realm=\"d\", nonce=\"n\""), ("WWW-Authenticate", "NTLM"),
      ])
    let first = try challenge(exchange.received(head, for: try request("https://example.org:8443/a")))
    #expect(first.space.authenticationMethod == NSURLAuthenticationMethodHTTPDigest)
    #expect(first.space.realm == "d")
    #expect(first.space.port == 8443)
    #expect(first.space.protocol == "https")
    #expect(first.failures == 0)
    #expect(exchange.awaitsAnswer)
    if TransferLibrary.speaksNTLM {
      #expect(exchange.rejected()?.authenticationMethod == NSURLAuthenticationMethodNTLM)
    }
    #expect(exchange.rejected()?.authenticationMethod == NSURLAuthenticationMethodHTTPBasic)
    #expect(exchange.rejected() == nil)
    #expect(exchange.awaitsAnswer)
    #expect(exchange.answered()?.schemes == .basic)
    #expect(!exchange.awaitsAnswer)
    #expect(exchange.answered() == nil)
    #expect(exchange.rejected() == nil)
  }

  @Test(.enabled("this machine has no GSS-API") { NegotiateLogin.isAvailable }, arguments: [true, false])
  func negotiateIsOfferedWhereSomebodyMakesTokens(offersNegotiate: Bool) throws {
    var exchange = HTTPExchange(offersNegotiate: offersNegotiate)
    let head = try response(401, [("WWW-Authenticate", "Negotiate"), ("WWW-Authenticate", "Basic realm=\"b\"")])
    let method = try challenge(exchange.received(head, for: try request())).space.authenticationMethod
    #expect(method == (offersNegotiate ? NSURLAuthenticationMethodNegotiate : NSURLAuthenticationMethodHTTPBasic))
  }

  @Test(.enabled("this machine has no GSS-API") { NegotiateLogin.isAvailable })
  func negotiateBesideOthersIsKnown() throws {
    for (others, isBeside) in [(["Basic realm=\"b\""], true), ([], false), (["Unknown"], false)] {
      var exchange = HTTPExchange()
      #expect(exchange.negotiateBesideOthers == nil)
      let fields = (others + ["Negotiate"]).map { ("WWW-Authenticate", $0) }
      _ = try challenge(exchange.received(try response(401, fields), for: try request()))
      #expect((exchange.negotiateBesideOthers != nil) == isBeside)
      guard isBeside else { continue }
      #expect(exchange.rejected()?.authenticationMethod == NSURLAuthenticationMethodHTTPBasic)
      #expect(exchange.negotiateBesideOthers == nil && exchange.answered()?.schemes == .basic)
    }
  }

  @Test func aChallengeWithoutARealmHasNone() throws {
    for (field, realm) in [("Basic", nil), ("Basic charset=\"UTF-8\"", nil), ("Basic realm=\"\"", "")] {
      var exchange = HTTPExchange()
      let (space, _) = try challenge(
        exchange.received(try response(401, [("WWW-Authenticate", field)]), for: try request()))
      #expect(space.realm == realm && space.authenticationMethod == NSURLAuthenticationMethodHTTPBasic)
    }
  }

  @Test func offersThatNobodyKnows() throws {
    var exchange = HTTPExchange()
    #expect(isDelivered(exchange.received(try response(401), for: try request())))
    #expect(
      isDelivered(exchange.received(try response(401, [("WWW-Authenticate", "Magic a=b")]), for: try request())))
  }

  @Test func failuresOfProxyAndServerAreCountedApart() throws {
    var exchange = HTTPExchange()
    let server = try response(401, [("WWW-Authenticate", "Basic realm=\"s\"")])
    let proxy = try response(407, [("Proxy-Authenticate", "Basic realm=\"p\"")])
    // Without a proxy it is a response as any other.
    #expect(try isDelivered(exchange.received(proxy, for: request())))
    let sentTo = ProxyServer(host: "proxy.example", port: 3128)
    let first = try challenge(exchange.received(proxy, for: try request(), from: sentTo))
    #expect(first.space.host == "proxy.example" && first.space.port == 3128)
    #expect(first.space.isProxy())
    #expect(exchange.answered() != nil)
    // The server has seen no credential yet.
    let second = try challenge(exchange.received(server, for: try request()))
    #expect(!second.space.isProxy())
    #expect(second.failures == 0)
    #expect(exchange.answered() != nil)
    #expect(try challenge(exchange.received(server, for: try request())).failures == 1)
    #expect(exchange.answered() != nil)
    #expect(try challenge(exchange.received(proxy, for: try request(), from: sentTo)).failures == 1)
  }

  @Test func whatMayBeSentAgainIsSentAgainOnce() throws {
    var exchange = HTTPExchange()
    var failure = TransferFailure(.libcurl)
    failure.curlCode = 56
    failure.metrics.isReusedConnection = true
    guard case .fail = exchange.failed(failure, for: try request(), refusal: nil, by: nil) else {
      return #expect(Bool(false), "what may not be sent again was not the end")
    }
    failure.isRepeatable = true
    guard case .retry = exchange.failed(failure, for: try request(), refusal: nil, by: nil) else {
      return #expect(Bool(false), "the request was not sent again")
    }
    guard case .fail = exchange.failed(failure, for: try request(), refusal: nil, by: nil) else {
      return #expect(Bool(false), "the request was sent a third time")
    }
  }

  @Test func aProxysRefusalIsAChallengeWithoutAResponse() throws {
    var exchange = HTTPExchange()
    let refusal = try response(407, [("Proxy-Authenticate", "Basic realm=\"p\"")])
    let proxy = ProxyServer(host: "proxy.example", port: 3128)
    let url = try request("https://example.org/")
    guard
      case .challenge(let space, 0) = exchange.failed(TransferFailure(.libcurl), for: url, refusal: refusal, by: proxy)
    else { return #expect(Bool(false), "no challenge") }
    #expect(space.isProxy() && space.proxyType == NSURLProtectionSpaceHTTPSProxy)
    let (isDeclined, result) = exchange.declined()
    #expect(isDeclined && result == nil)
    guard case .failure? = exchange.released() else { return #expect(Bool(false), "the failure was lost") }
  }

  @Test func refusalsAreLimited() throws {
    var exchange = HTTPExchange()
    let head = try response(401, [("WWW-Authenticate", "Basic realm=\"s\"")])
    for count in 0..<16 {
      #expect(try challenge(exchange.received(head, for: try request())).failures == count)
      #expect(exchange.answered() != nil)
    }
    #expect(isDelivered(exchange.received(head, for: try request())))
  }

  @Test func declinedHoldsBackUntilTheResponseIsPassedOn() throws {
    var exchange = HTTPExchange()
    let head = try response(401, [("WWW-Authenticate", "Basic realm=\"s\"")])
    _ = try challenge(exchange.received(head, for: try request()))
    #expect(exchange.released() == nil)
    let (isDeclined, result) = exchange.declined()
    #expect(isDeclined && result === head)
    #expect(exchange.awaitsAnswer)
    // Only the first answer counts.
    #expect(!exchange.declined().0)
    #expect(exchange.answered() == nil)
    #expect(exchange.rejected() == nil)
    #expect(exchange.completed(.success(TransferMetrics())) == true)
    guard case .success? = exchange.released() else { return #expect(Bool(false), "the end was lost") }
    #expect(!exchange.awaitsAnswer)
    #expect(exchange.completed(.success(TransferMetrics())) == false)
  }
}
