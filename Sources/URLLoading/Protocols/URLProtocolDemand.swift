/// What a load asks of an instance, beyond the request.
public struct URLProtocolDemand: Sendable {
  /// The entries of the directory that the URL names, in the place of bytes: by `urlProtocol(_:didList:)` of
  /// ``URLProtocolSessionClient``. Only classes that declare ``URLProtocol/Capabilities/listing`` meet this.
  public var wantsEntries = false

  /// Whether to collect metrics.
  public var wantsMetrics = false

  /// Whether to report them ahead of the response as well, with what is known of the connection by then, where a class can.
  public var wantsConnectionMetrics = false

  /// The number of bytes to collect before a call to the client, where they arrive in smaller pieces; 0 to pass pieces on as they come.
  public var preferredPieceLength = 0

  /// The task's priority, from 0 to 1.
  public var priority: Float = URLSessionTask.defaultPriority

  /// Who judges the servers of TLS connections, and logs in to them; nil where the system's rules do. A class that makes such
  /// connections sends challenges about each new one, and has loads with different judges share none.
  public var connectionJudge: URLConnectionJudge?

  /// What is to be sent once the connection stands, in the place of a request's body; nil for a load that has one direction after the
  /// other. Only classes that declare ``URLProtocol/Capabilities/duplex`` meet this.
  public var upstream: URLProtocolUpstream?

  /// The demand of a load of a body, without metrics.
  public init() {}
}
