/// The requirements of a load on an instance, beyond the request.
public struct URLProtocolDemand: Sendable {
  /// The entries of the directory that the URL names, in the place of bytes: by `urlProtocol(_:didList:)` of
  /// ``URLProtocolSessionClient``. Only classes that declare ``URLProtocol/Capabilities/listing`` meet this.
  public var wantsEntries = false

  /// Whether a response made of a ``URLResourceInfo`` is the answer to the `HEAD`: of what the URL itself names, a directory too, and a
  /// symbolic link in place of what it leads to. Only classes that declare ``URLProtocol/Capabilities/resourceInfo`` need to look at this.
  public var wantsInfo = false

  /// The permissions (`0o777`) of the file or directory that the request makes, as a copy has them of its source; nil for the class's own. The
  /// mask of the process or server is taken of them, as by cp(1), and a file that is replaced keeps its own.
  public var storedPermissions: UInt16?

  /// Whether to collect metrics.
  public var wantsMetrics = false

  /// Whether to report them ahead of the response as well, with what is known of the connection by then, where a class can.
  public var wantsConnectionMetrics = false

  /// The number of bytes to collect before a call to the client, where they arrive in smaller pieces; 0 to pass pieces on as they come.
  public var preferredPieceLength = 0

  /// The task's priority, from 0 to 1.
  public var priority: Float = URLSessionTask.defaultPriority

  /// The judge of TLS connections, which also provides identities; nil for the system's rules. A class that makes such
  /// connections sends challenges about each new one, and has loads with different judges share none.
  public var connectionJudge: URLConnectionJudge?

  /// The bytes to send on a full-duplex connection once it is established, in place of a request's body; nil for a half-duplex load. Only
  /// classes that declare ``URLProtocol/Capabilities/duplex`` get one.
  public var upstream: URLProtocolUpstream?

  /// Whether the request is not to be repeated, whatever its method.
  var isSentOnce = false

  /// The demand of a load of a body, without metrics.
  public init() {}
}
