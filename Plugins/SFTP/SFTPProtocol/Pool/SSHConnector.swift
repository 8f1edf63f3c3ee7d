import URLLoading

/// Makes connections by SSH.
struct SSHConnector: SFTPConnector {
  func connect(to place: ServerPlace, client: SFTPClient, questions: ConnectionQuestions) -> any SFTPTransport {
    let transport = NoTransport()
    client.channelDidClose(
      URLError(.cannotConnectToHost, message: "SSH connections are not part of this build.", url: nil))
    return transport
  }
}

private final class NoTransport: SFTPTransport {
  let facts = ConnectionFacts()
  func perform(_ work: @escaping @Sendable () -> Void) {}
  func close() {}
}
