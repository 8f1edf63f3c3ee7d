internal import URLLoadingCurlTransport

extension URLSessionConfiguration {
  /// Tells the session's listener of connections; nil without a listener.
  var connectionObserver: ConnectionObserver? {
    guard let listener = sessionEventListener else { return nil }
    return ConnectionObserver(
      opened: { listener.didOpenConnection(URLSession.EventConnection($0)) },
      closed: { listener.didCloseConnection(URLSession.EventConnection($0)) })
  }
}

extension URLSession.EventConnection {
  fileprivate init(_ connection: ObservedConnection) {
    self.init(id: connection.number, remoteAddress: connection.address, remotePort: connection.port)
  }
}
