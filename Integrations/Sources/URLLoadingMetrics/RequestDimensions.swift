import URLLoadingTelemetry

/// What requests are told apart by: the attributes that OpenTelemetry gives `http.client.request.duration`.
struct RequestDimensions: Hashable, Sendable {
  var request: RequestDescription
  var address: String?
  var port: Int?
  var status: Int?
  var version: String?
  var errorType: String?

  /// - Parameters:
  ///   - failure: the type of the error that the load has ended with.
  ///   - fallback: that of a failure that nobody has told of.
  ///   - hasServer: whether servers are told apart.
  init(
    _ request: RequestDescription, _ transaction: TransactionDescription, failure: String?, fallback: String?,
    hasServer: Bool
  ) {
    self.request = request
    if hasServer { (address, port) = (request.address, request.port) }
    status = transaction.status
    version = transaction.version
    errorType = ErrorType.name(of: transaction.status) ?? failure ?? fallback
  }

  static func == (first: RequestDimensions, second: RequestDimensions) -> Bool {
    first.request.method == second.request.method && first.request.scheme == second.request.scheme
      && first.address == second.address && first.port == second.port && first.status == second.status
      && first.version == second.version && first.errorType == second.errorType
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(request.method)
    hasher.combine(request.scheme)
    hasher.combine(address)
    hasher.combine(port)
    hasher.combine(status)
    hasher.combine(version)
    hasher.combine(errorType)
  }

  /// The same for any server.
  var ofOtherServer: RequestDimensions {
    var other = self
    if address != nil { (other.address, other.port) = ("_OTHER", nil) }
    return other
  }

  /// As backends take them.
  var pairs: [(String, String)] {
    var pairs = [("http.request.method", request.method), ("url.scheme", request.scheme)]
    if let address { pairs.append(("server.address", address)) }
    if let port { pairs.append(("server.port", String(port))) }
    if let status { pairs.append(("http.response.status_code", String(status))) }
    if let version { pairs.append(("network.protocol.version", version)) }
    if let errorType { pairs.append(("error.type", errorType)) }
    return pairs
  }
}
