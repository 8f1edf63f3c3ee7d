/// What few requests set. The article <doc:WithoutEffect> lists what has no effect on Linux.
extension URLRequest {
  /// Who caused a request.
  public typealias Attribution = NSURLRequest.Attribution

  /// Whether the request may go over a cellular network. True by default; as ``allowsExpensiveNetworkAccess``.
  public var allowsCellularAccess: Bool {
    get { options.allowsCellularAccess }
    set { changeOptions { $0.allowsCellularAccess = newValue } }
  }

  /// Whether the request may go over a network that is expensive. True by default. On Linux it has an effect only in
  /// background sessions, whose service asks NetworkManager whether the network is metered; a configuration with false
  /// applies too.
  public var allowsExpensiveNetworkAccess: Bool {
    get { options.allowsExpensiveNetworkAccess }
    set { changeOptions { $0.allowsExpensiveNetworkAccess = newValue } }
  }

  /// Whether the request may go over a network on which the user wants to save data. True by default; as
  /// ``allowsExpensiveNetworkAccess``.
  public var allowsConstrainedNetworkAccess: Bool {
    get { options.allowsConstrainedNetworkAccess }
    set { changeOptions { $0.allowsConstrainedNetworkAccess = newValue } }
  }

  /// Whether the request may be sent before the responses of earlier ones have arrived (pipelining). False by default;
  /// without effect, since libcurl has no pipelining. Over HTTP/2 requests share a connection in any case.
  public var httpShouldUsePipelining: Bool {
    get { options.usesPipelining }
    set { changeOptions { $0.usesPipelining = newValue } }
  }

  /// Whether the server is taken to speak HTTP/3 before it has said so. False by default. Where the installed libcurl has HTTP/3, such a
  /// request tries it first, also in a session whose ``NetworkSettings/maximumHTTPVersion`` is older; see <doc:Architecture#HTTP3>. Without
  /// effect elsewhere, and in background sessions.
  public var assumesHTTP3Capable: Bool {
    get { options.assumesHTTP3Capable }
    set { changeOptions { $0.assumesHTTP3Capable = newValue } }
  }

  /// Who caused the request: the program, unless set. Without effect on Linux, where no system reports it to the user.
  public var attribution: Attribution {
    get { options.attribution }
    set { changeOptions { $0.attribution = newValue } }
  }

  /// Whether the host's address must come from a DNS answer that was validated by DNSSEC (RFC 4035). False by default.
  ///
  /// No resolver on Linux tells whether it has validated an answer, so that the built-in classes and `SFTPProtocol` fail such a request
  /// with `URLError.dnsLookupFailed` rather than load what is not validated. A host that is an address needs no look-up.
  public var requiresDNSSECValidation: Bool {
    get { options.requiresDNSSECValidation }
    set { changeOptions { $0.requiresDNSSECValidation = newValue } }
  }

  /// Partitions cookies: the request sends only cookies that were set by responses to requests with the same
  /// identifier, and no other request sends these. Nil by default.
  public var cookiePartitionIdentifier: String? {
    get { options.cookiePartitionIdentifier }
    set { changeOptions { $0.cookiePartitionIdentifier = newValue } }
  }

  /// All of these.
  var options: RequestOptions {
    get { values.options }
    set { change { $0.options = newValue } }
  }

  private mutating func changeOptions(_ body: (inout RequestOptions) -> Void) {
    change { body(&$0.options) }
  }
}
