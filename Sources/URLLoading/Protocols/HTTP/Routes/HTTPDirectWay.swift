internal import URLLoadingCurlTransport

/// The way of a request that is loaded directly, where HTTP/3 is a question.
///
/// Mutable state: `route`, written before the transfer begins.
final class HTTPDirectWay {
  private let routing: HTTPRouting
  private(set) var route = HTTPRoute()

  init(_ routing: HTTPRouting) {
    self.routing = routing
  }

  /// Not inlined, as most loads do without: their code stays as short.
  @inline(never)
  func begin(_ transferRequest: inout TransferRequest, for request: URLRequest, on connections: CurlSession) {
    routing.begin(
      &transferRequest, for: request, by: &route,
      allowsQUIC: connections.engine.proxy(for: request.urlFacts.text) == nil)
  }

  /// Any response but one that says that its server does not speak for the origin.
  @inline(never)
  func answered(_ response: HTTPURLResponse) { routing.answered(response, by: route.target) }
}
