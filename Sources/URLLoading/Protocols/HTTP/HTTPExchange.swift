internal import URLLoadingBase
internal import URLLoadingCurlTransport
internal import URLLoadingHTTPSemantics

/// The state machine of an HTTP exchange: takes heads and answers to challenges, returns actions. A value without I/O.
struct HTTPExchange {
  enum HeadAction {
    case deliver
    case redirect(URLRequest)
    /// Pause before the body and ask for a credential.
    case challenge(URLProtectionSpace, previousFailureCount: Int)
    case fail(URLError)
  }

  /// A challenge that waits for its answer.
  private struct Pending {
    /// The response with the challenge; nil when it is a proxy's refusal to open a tunnel, which says nothing about the resource.
    var response: HTTPURLResponse?
    /// What the server offers, the best first.
    var offers: [Offer] = []
    /// Why the handshake was aborted; nil for a challenge of a response.
    var question: ConnectionQuestion?
    var result: Result<TransferMetrics, TransferFailure>?
    var isDeclined = false
  }

  /// A way to authenticate that the server or proxy offers.
  struct Offer {
    var space: URLProtectionSpace
    var schemes: TransferCredential.Schemes
  }

  /// Handshakes that may be ended for a question in one load: those of a proxy and a server, of each two, and their renewals.
  private static let maximumQuestions = 8

  /// Credentials that may be refused before the server's refusal is the result, whatever a delegate says.
  private static let largestFailureCount = 16

  private let offersNegotiate: Bool
  @Boxed private var pending: Pending?
  private var triedCredentials = 0
  private var triedProxyCredentials = 0
  private var questions = 0

  private var hasResponse = false
  private var hasRetried = false

  /// The response is a redirect that was reported.
  private(set) var isRedirect = false

  /// - Parameter offersNegotiate: whether the transfer's owner makes tokens for Negotiate. libcurl would make them on the loop's thread, which
  ///   a silent KDC blocks.
  init(offersNegotiate: Bool = true) {
    self.offersNegotiate = offersNegotiate
  }

  /// A challenge waits for its answer; bytes that come belong to its response.
  var awaitsAnswer: Bool { pending != nil }

  /// Whether a status may be more than a response.
  static func mayAct(on status: Int) -> Bool {
    switch status {
    case 301, 302, 303, 307, 308, 401, 407: true
    default: false
    }
  }

  /// - Parameter proxy: the proxy that the request was sent to; nil for none, and for a tunnel through one. Without it
  ///   a 407 is a response as any other: a server must not get the credentials of a proxy.
  mutating func received(
    _ response: HTTPURLResponse, for request: URLRequest, from proxy: ProxyServer? = nil
  ) -> HeadAction {
    hasResponse = true
    switch response.statusCode {
    case 301, 302, 303, 307, 308: return redirect(response, request)
    case 401: return challenge(response, request, proxy: nil)
    case 407: return proxy.map { challenge(response, request, proxy: $0) } ?? .deliver
    default: return .deliver
    }
  }

  enum FailureAction {
    case fail
    /// A proxy wants credentials before it opens a tunnel.
    case challenge(URLProtectionSpace, previousFailureCount: Int)
    /// The handshake was aborted to ask this, and may be repeated.
    case question(ConnectionQuestion)
    /// Nothing came of the request, and it may be sent again.
    case retry
  }

  /// The transfer failed, and no challenge waits.
  /// - Parameters:
  ///   - refusal: the answer of a proxy that did not open a tunnel.
  ///   - proxy: that proxy.
  mutating func failed(
    _ failure: TransferFailure, for request: URLRequest, refusal: HTTPURLResponse?, by proxy: ProxyServer?
  ) -> FailureAction {
    // It has had its chances.
    if case .endlessRefusal = failure.reason { return .fail }
    if let refusal, let proxy, refusal.statusCode == 407 {
      guard case .challenge(let space, let failures) = challenge(refusal, request, proxy: proxy) else { return .fail }
      pending?.response = nil
      pending?.result = .failure(failure)
      return .challenge(space, previousFailureCount: failures)
    }
    if let proxy, failure.proxyFault == .login { return challenge(bySOCKS: proxy, failure) }
    if let question = ConnectionQuestion(failure.reason), questions < Self.maximumQuestions {
      questions += 1
      pending = Pending(question: question, result: .failure(failure))
      return .question(question)
    }
    // RFC 9112, section 9.3.1: servers close idle connections as they please. libcurl tries again by itself, but for
    // bodies that it cannot rewind or had begun to send, and for most ends of HTTP/2 connections.
    guard !hasResponse, failure.isRepeatable else { return .fail }
    // Each such failure is the end of one of the idle connections.
    if failure.reason == .closedBefore { return .retry }
    guard !hasRetried else { return .fail }
    hasRetried = true
    return .retry
  }

  /// A SOCKS proxy ended the connection for want of a login that it takes: RFC 1928, section 3, and RFC 1929, section 2. It has no realm,
  /// and its login is a name and a password.
  private mutating func challenge(bySOCKS proxy: ProxyServer, _ failure: TransferFailure) -> FailureAction {
    guard triedProxyCredentials < Self.largestFailureCount else { return .fail }
    let space = URLProtectionSpace(
      proxyHost: proxy.host, port: proxy.port, type: NSURLProtectionSpaceSOCKSProxy, realm: nil,
      authenticationMethod: NSURLAuthenticationMethodDefault)
    pending = Pending(offers: [Offer(space: space, schemes: .basic)], result: .failure(failure))
    return .challenge(space, previousFailureCount: triedProxyCredentials)
  }

  /// The request was sent again for want of an answer.
  mutating func hasBeenRepeated() { hasRetried = true }

  /// The route has changed to another proxy, which has refused nothing yet.
  mutating func proxyChanged() { triedProxyCredentials = 0 }

  /// The transfer ended.
  /// - Returns: whether its end waits for the answer to a challenge.
  mutating func completed(_ result: Result<TransferMetrics, TransferFailure>) -> Bool {
    guard pending != nil else { return false }
    pending?.result = result
    return true
  }

  /// The question about a connection was answered.
  /// - Returns: the question, and the failure that the handshake ended with; nil where no such question waits.
  mutating func takeQuestion() -> (ConnectionQuestion, Result<TransferMetrics, TransferFailure>)? {
    guard let pending, let question = pending.question, let result = pending.result else { return nil }
    self.pending = nil
    return (question, result)
  }

  /// The protection space of a challenge for Negotiate, where the server offers other ways as well; nil where no such challenge waits.
  var negotiateBesideOthers: URLProtectionSpace? {
    guard let pending, !pending.isDeclined, pending.offers.count > 1, let offer = pending.offers.first,
      offer.schemes == .negotiate
    else { return nil }
    return offer.space
  }

  /// A credential was given; what it is for. Nil when no challenge waits.
  mutating func answered() -> Offer? {
    guard let pending, !pending.isDeclined, let offer = pending.offers.first else { return nil }
    self.pending = nil
    hasResponse = false
    if offer.space.isProxy() { triedProxyCredentials += 1 } else { triedCredentials += 1 }
    return offer
  }

  /// The challenge was declined: its response, if it has one, is the result. The transfer stays paused until the response was passed
  /// on.
  /// - Returns: false when no challenge waits.
  mutating func declined() -> (Bool, HTTPURLResponse?) {
    guard let pending, !pending.isDeclined else { return (false, nil) }
    self.pending?.isDeclined = true
    return (true, pending.response)
  }

  /// The response of a declined challenge was passed on: the transfer may continue.
  /// - Returns: how the transfer ended, if it did meanwhile.
  mutating func released() -> Result<TransferMetrics, TransferFailure>? {
    guard let pending, pending.isDeclined else { return nil }
    self.pending = nil
    return pending.result
  }

  /// The protection space was rejected; the next one that the server offers, if it does.
  mutating func rejected() -> URLProtectionSpace? {
    guard let pending, !pending.isDeclined, pending.offers.count > 1 else { return nil }
    self.pending?.offers.removeFirst()
    return pending.offers[1].space
  }

  // MARK: Redirects

  private mutating func redirect(_ response: HTTPURLResponse, _ request: URLRequest) -> HeadAction {
    let field = response.fields.single("Location")
    guard let url = request.url, var location = field.first else { return .deliver }
    if request.urlFacts.isOfUnixSocket {
      location = UnixSocketURL.location(location, from: request)
    }
    let hasBody = request.httpBody != nil || request.httpBodyStream != nil
    let decision = HTTPRedirect(
      status: response.statusCode, location: location, url: url, method: request.httpMethod ?? "GET",
      fields: request.fields.fields, hasBody: hasBody)
    switch decision {
    case .notARedirect: return .deliver
    case _ where field.isConflict:
      return .fail(
        URLError(.badServerResponse, message: "The redirect has several Location fields that differ.", url: url))
    case .invalidLocation(let text):
      return .fail(
        URLError(
          .badServerResponse, message: "The redirect's Location is no URL: \(URL.redactedDescription(of: text)).",
          url: url))
    case .follow(let target):
      var next = request
      next.url = target.url
      if target.method != next.httpMethod { next.httpMethod = target.method }
      for name in target.droppedFields { next.setValue(nil, forHTTPHeaderField: name) }
      if !target.keepsBody {
        next.httpBody = nil
        next.httpBodyStream = nil
      }
      isRedirect = true
      return .redirect(next)
    }
  }

  // MARK: Challenges

  private mutating func challenge(
    _ response: HTTPURLResponse, _ request: URLRequest, proxy: ProxyServer?
  ) -> HeadAction {
    let failures = proxy != nil ? triedProxyCredentials : triedCredentials
    guard let url = request.url, failures < Self.largestFailureCount else { return .deliver }
    let field = proxy == nil ? "WWW-Authenticate" : "Proxy-Authenticate"
    let challenges = AuthenticateHeader(fieldValues: response.fields.values(of: field)).challenges
    let hasBody = request.httpBody != nil || request.httpBodyStream != nil
    let offers = challenges.filter { !Self.coversBody($0) || !hasBody }
      .compactMap { offer($0, url: url, proxy: proxy) }
      .sorted { $0.strength > $1.strength }
      .map { $0.offer }
    guard let best = offers.first else {
      guard hasBody, challenges.contains(where: { Self.coversBody($0) }) else { return .deliver }
      return .fail(
        URLError(
          .userAuthenticationRequired,
          message:
            "The \(proxy == nil ? "server" : "proxy") wants Digest authentication that covers the body (qop auth-int) and offers nothing "
            + "else; it is not supported for requests with a body.", url: url))
    }
    pending = Pending(response: response, offers: offers)
    return .challenge(best.space, previousFailureCount: failures)
  }

  /// Whether a challenge wants a hash of the body (RFC 7616, section 3.4.3), which libcurl computes of none.
  private static func coversBody(_ challenge: AuthenticateHeader.Challenge) -> Bool {
    guard challenge.scheme == "digest", let qop = challenge["qop"] else { return false }
    let values = qop.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
    return values.contains("auth-int") && !values.contains("auth")
  }

  private func offer(
    _ challenge: AuthenticateHeader.Challenge, url: URL, proxy: ProxyServer?
  ) -> (offer: Offer, strength: Int)? {
    let (schemes, method, strength): (TransferCredential.Schemes, String, Int)
    switch challenge.scheme.lowercased() {
    case "negotiate" where offersNegotiate && NegotiateLogin.isAvailable:
      (schemes, method, strength) = (.negotiate, NSURLAuthenticationMethodNegotiate, 4)
    case "digest": (schemes, method, strength) = (.digest, NSURLAuthenticationMethodHTTPDigest, 3)
    case "ntlm" where TransferLibrary.speaksNTLM:
      (schemes, method, strength) = (.ntlm, NSURLAuthenticationMethodNTLM, 2)
    case "basic": (schemes, method, strength) = (.basic, NSURLAuthenticationMethodHTTPBasic, 1)
    default: return nil
    }
    let scheme = url.scheme?.lowercased() ?? "http"
    let host = url.host(percentEncoded: false) ?? ""
    let port = url.port ?? (scheme == "https" ? 443 : 80)
    let realm = challenge.realm
    let space =
      proxy.map {
        URLProtectionSpace(
          proxyHost: $0.host, port: $0.port,
          type: scheme == "https" || scheme == "tcp" ? NSURLProtectionSpaceHTTPSProxy : NSURLProtectionSpaceHTTPProxy,
          realm: realm, authenticationMethod: method)
      } ?? URLProtectionSpace(host: host, port: port, protocol: scheme, realm: realm, authenticationMethod: method)
    return (Offer(space: space, schemes: schemes), strength)
  }
}
