/// What a load wants of an instance, beyond the request.
public struct URLProtocolDemand: Sendable {
  /// The entries of the directory that the URL names, in the place of bytes: by `urlProtocol(_:didList:)` of
  /// ``URLProtocolSessionClient``. Only classes that declare ``URLProtocol/Capabilities/listing`` meet this.
  public var wantsEntries = false

  /// Somebody looks at metrics; where not, there is no need to collect them.
  public var wantsMetrics = false

  /// Bytes of the body that are worth a call to the client, where they arrive in smaller pieces; 0 where pieces are taken as they
  /// come.
  public var preferredPieceLength = 0

  /// The task's priority, from 0 to 1.
  public var priority: Float = URLSessionTask.defaultPriority

  /// Makes the demand of a load that wants the body alone.
  public init() {}
}
