/// A connection that carries the conversation of a client: what the pool needs of it.
protocol SFTPTransport: AnyObject, Sendable {
  /// Begins to connect; once. Calls the client from the connection's thread, also when no connection can be made.
  func start()

  /// Runs work on the connection's thread. After the connection's end it runs elsewhere, still in order: a load that does not wait for
  /// the server learns of the end only this way.
  func perform(_ work: @escaping @Sendable () -> Void)

  /// Ends the connection at any point; the client gets the end of its channel.
  func close()

  var metrics: SSHConnectionMetrics { get }
}

/// Makes connections.
protocol SFTPConnector: Sendable {
  /// - Parameter questions: answers what the server, or the user's keys, make necessary to ask.
  func makeTransport(
    to place: ServerPlace, client: SFTPClient, questions: ConnectionQuestions
  ) -> any SFTPTransport
}
