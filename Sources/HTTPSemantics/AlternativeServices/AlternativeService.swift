import Foundation

/// Where an origin can be reached by HTTP/3 (RFC 9114, section 3.1.1).
package struct AlternativeService: HostFact, Equatable {
  package let origin: HTTPOrigin
  /// Host and port that datagrams go to. The server's certificate is the origin's all the same (RFC 7838, section 2.1).
  package let endpoint: HTTPOrigin
  /// When it ends.
  package let expires: Date
  /// Whether it stays when the network changes.
  package let persists: Bool
  /// When it was noted.
  package let noted: Date

  package init(origin: HTTPOrigin, endpoint: HTTPOrigin, expires: Date, persists: Bool, noted: Date) {
    (self.origin, self.endpoint) = (origin, endpoint)
    (self.expires, self.persists, self.noted) = (expires, persists, noted)
  }

  package var key: HTTPOrigin { origin }
  package var host: String { origin.host }

  /// The first service of HTTP/3 of a field, the origin's choice among those that are of use.
  /// - Parameter age: how old the response is, in seconds (RFC 9111, section 4.2.3).
  init?(_ services: [AltSvcField.Service], of origin: HTTPOrigin, age: Int64, now: Date) {
    guard let service = services.first(where: { $0.protocolName == "h3" }), service.maxAge > age else { return nil }
    self.init(
      origin: origin,
      endpoint: HTTPOrigin(host: service.host.isEmpty ? origin.host : service.host, port: service.port),
      expires: now + TimeInterval(service.maxAge - age), persists: service.persists, noted: now)
  }
}
