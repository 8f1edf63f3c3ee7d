import URLLoading

/// A connection that carries the conversation of a client: what the pool needs of it.
protocol SFTPTransport: AnyObject, Sendable {
  /// Runs something on the connection's thread. After the connection's end it runs elsewhere, still one piece after another: who
  /// waits for something else than the server learns only so that the connection has gone.
  func perform(_ work: @escaping @Sendable () -> Void)

  /// Ends the connection, however far it is; the client is told so.
  func close()

  /// What is known about how it was made.
  var facts: ConnectionFacts { get }
}

/// How a connection was made, for metrics. Nil is what did not happen or is not known.
struct ConnectionFacts: Sendable {
  var lookupStart: Date?
  var lookupEnd: Date?
  var connectStart: Date?
  var keyExchangeStart: Date?
  var keyExchangeEnd: Date?
  var connectEnd: Date?
  var localAddress: String?
  var localPort: Int?
  var remoteAddress: String?
  var remotePort: Int?
  /// Such as `ssh/aes128-ctr`.
  var protocolName: String?
}

/// Makes connections.
protocol SFTPConnector: Sendable {
  /// Begins to make a connection. It calls `client` from its own thread, at the end too if it is never made.
  /// - Parameter questions: who answers what the server, or the user's keys, make necessary to ask.
  func connect(to place: ServerPlace, client: SFTPClient, questions: ConnectionQuestions) -> any SFTPTransport
}
