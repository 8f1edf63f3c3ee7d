internal import CurlTransport

/// What an HTTP response means for the load: a value that is fed heads and answers, and says what to do. No I/O inside.
struct HTTPExchange {
  enum HeadAction {
    case deliver
    case redirect(URLRequest)
    /// Hold the body back and ask for a credential.
    case challenge(URLProtectionSpace, previousFailureCount: Int)
    case fail(URLError)
  }

  private struct Held {
    var response: HTTPURLResponse
    /// What the server offers, the best first.
    var offers: [Offer]
    var result: Result<TransferMetrics, TransferFailure>?
    /// The answer was to take the response as the result.
    var isDeclined = false
  }

  /// A way to authenticate that the server or proxy offers.
  struct Offer {
    var space: URLProtectionSpace
    var schemes: TransferCredential.Schemes
  }

  /// Credentials that may be refused before the server's refusal is the result, whatever a delegate says.
  private static let largestFailureCount = 16

  private var held: Held?
  private var triedCredentials = 0

  /// The response is a redirect that was reported.
  private(set) var isRedirect = false

  /// A challenge waits for its answer; bytes that come belong to the response that brought it.
  var isHolding: Bool { held != nil }

  mutating func received(_ response: HTTPURLResponse, for request: URLRequest) -> HeadAction {
    switch response.statusCode {
    case 301, 302, 303, 307, 308: return redirect(response, request)
    case 401, 407: return challenge(response, request)
    default: return .deliver
    }
  }

  /// The transfer ended.
  /// - Returns: whether its end waits for the answer to a challenge.
  mutating func completed(_ result: Result<TransferMetrics, TransferFailure>) -> Bool {
    guard held != nil else { return false }
    held?.result = result
    return true
  }

  /// A credential was given; what it is for. Nil when no challenge waits.
  mutating func answered() -> Offer? {
    guard held?.isDeclined == false, let offer = held?.offers.first else { return nil }
    held = nil
    triedCredentials += 1
    return offer
  }

  /// The challenge was declined: its response is the result. Nil when no challenge waits. The body is held back until
  /// the response was reported: ``reportedDeclined()``.
  mutating func declined() -> HTTPURLResponse? {
    guard held?.isDeclined == false else { return nil }
    held?.isDeclined = true
    return held?.response
  }

  /// The response of a declined challenge was reported; its body may follow.
  /// - Returns: the transfer's end, if it has come.
  mutating func reportedDeclined() -> Result<TransferMetrics, TransferFailure>? {
    defer { held = nil }
    return held?.result
  }

  /// The protection space was rejected; the next one that the server offers, if it does.
  mutating func rejected() -> URLProtectionSpace? {
    guard held?.isDeclined == false, let offers = held?.offers, offers.count > 1 else { return nil }
    held?.offers.removeFirst()
    return offers[1].space
  }

  // MARK: Redirects

  private mutating func redirect(_ response: HTTPURLResponse, _ request: URLRequest) -> HeadAction {
    guard let url = request.url, let location = response.value(forHTTPHeaderField: "Location") else { return .deliver }
    let hasBody = request.httpBody != nil || request.httpBodyStream != nil
    let decision = HTTPRedirect(
      status: response.statusCode, location: location, url: url, method: request.httpMethod ?? "GET",
      fields: request.fields.fields, hasBody: hasBody)
    switch decision {
    case .notARedirect: return .deliver
    case .invalidLocation(let text):
      return .fail(
        URLError(.badServerResponse, message: "The redirect's Location is no URL: \(text.prefix(200)).", url: url))
    case .follow(let target):
      var next = request
      next.url = target.url
      next.httpMethod = target.method
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

  private mutating func challenge(_ response: HTTPURLResponse, _ request: URLRequest) -> HeadAction {
    let isProxy = response.statusCode == 407
    guard let url = request.url, triedCredentials < Self.largestFailureCount else { return .deliver }
    let field = isProxy ? "Proxy-Authenticate" : "WWW-Authenticate"
    let offers = AuthenticateHeader(fieldValues: response.fields.values(of: field)).challenges
      .compactMap { Self.offer($0, url: url, isProxy: isProxy) }
      .sorted { $0.strength > $1.strength }
      .map { $0.offer }
    guard let best = offers.first else { return .deliver }
    held = Held(response: response, offers: offers)
    return .challenge(best.space, previousFailureCount: triedCredentials)
  }

  private static func offer(
    _ challenge: AuthenticateHeader.Challenge, url: URL, isProxy: Bool
  ) -> (offer: Offer, strength: Int)? {
    let (schemes, method, strength): (TransferCredential.Schemes, String, Int)
    switch challenge.scheme.lowercased() {
    case "negotiate": (schemes, method, strength) = (.negotiate, NSURLAuthenticationMethodNegotiate, 4)
    case "digest": (schemes, method, strength) = (.digest, NSURLAuthenticationMethodHTTPDigest, 3)
    case "ntlm": (schemes, method, strength) = (.ntlm, NSURLAuthenticationMethodNTLM, 2)
    case "basic": (schemes, method, strength) = (.basic, NSURLAuthenticationMethodHTTPBasic, 1)
    default: return nil
    }
    let scheme = url.scheme?.lowercased() ?? "http"
    let host = url.host(percentEncoded: false) ?? ""
    let port = url.port ?? (scheme == "https" ? 443 : 80)
    let realm = challenge.realm
    let space =
      isProxy
      ? URLProtectionSpace(
        proxyHost: host, port: port,
        type: scheme == "https" ? NSURLProtectionSpaceHTTPSProxy : NSURLProtectionSpaceHTTPProxy,
        realm: realm, authenticationMethod: method)
      : URLProtectionSpace(host: host, port: port, protocol: scheme, realm: realm, authenticationMethod: method)
    return (Offer(space: space, schemes: schemes), strength)
  }
}
