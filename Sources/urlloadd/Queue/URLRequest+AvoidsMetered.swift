import URLLoading

extension URLRequest {
  /// Whether it may not use a network that costs by the byte, of whatever kind: NetworkManager does not tell the kinds apart.
  var avoidsMetered: Bool {
    !allowsCellularAccess || !allowsExpensiveNetworkAccess || !allowsConstrainedNetworkAccess
  }
}
