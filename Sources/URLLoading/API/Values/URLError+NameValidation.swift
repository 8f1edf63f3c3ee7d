extension URLError {
  /// The error for a request that requires DNSSEC validation of its host's name, for protocol classes that look names up.
  ///
  /// The library cannot tell whether a resolver has validated an answer, so a class fails closed with this error,
  /// `URLError.dnsLookupFailed`.
  /// - Returns: nil where the request does not require it, or the host is an address.
  public static func unvalidatedName(of request: URLRequest) -> URLError? {
    guard request.requiresDNSSECValidation, let host = request.url?.host(percentEncoded: false), !isAddress(host)
    else { return nil }
    return URLError(
      .dnsLookupFailed,
      message:
        "The request requires DNSSEC validation (requiresDNSSECValidation), and no resolver of this system says whether it has validated the address of \(host).",
      url: request.url)
  }

  /// Whether nothing is looked up for a host.
  private static func isAddress(_ host: String) -> Bool {
    var address = in6_addr()
    // A zone's name (RFC 6874) is no part of the address.
    return inet_pton(AF_INET, host, &address) == 1
      || inet_pton(AF_INET6, String(host.prefix { $0 != "%" }), &address) == 1
  }
}
