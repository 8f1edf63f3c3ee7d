extension URLProtocol {
  /// What a protocol class can do beyond sending bytes. Sessions and the conformance suite go by it.
  public struct Capabilities: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: Int

    /// Makes a set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// A request's `Range` and `If-Range` fields are honoured; downloads of this class can resume.
    public static let byteRanges = Capabilities(rawValue: 1 << 0)

    /// The body of a `PUT` is stored at the URL, by no other method's of an upload task.
    public static let upload = Capabilities(rawValue: 1 << 1)

    /// A redirect that came from another class may lead here. Never declared by a class that reaches local resources:
    /// what a server sends must not make a program load them.
    public static let acceptsRedirects = Capabilities(rawValue: 1 << 2)

    /// `startLoading` and `stopLoading` return at once, so that they may be called on any thread.
    public static let nonblocking = Capabilities(rawValue: 1 << 3)

    /// Lists the entries of the directory that a URL names, where ``URLProtocolDemand/wantsEntries`` says so.
    public static let listing = Capabilities(rawValue: 1 << 4)

    /// A failure with `URLError.notConnectedToInternet` says that no connection could be made for want of a route or a name service.
    /// Where the session waits for connectivity (``URLSessionConfiguration/waitsForConnectivity``), the load does not fail then: another
    /// instance tries again. That is so until an instance has told anything of its peer, such as a redirect, a challenge, a response or
    /// bytes of the body that were sent; from then on the same error ends the load.
    ///
    /// Not to be said of a server that refused, that did not answer, or whose name does not exist. In a class that does not declare this
    /// the error is one like others, such as a test's.
    public static let connectivity = Capabilities(rawValue: 1 << 5)

    /// An upload may be resumed by draft-ietf-httpbis-resumable-upload: interim responses are reported
    /// (``URLProtocolSessionClient/urlProtocol(_:didReceiveInformationalResponse:)``), and `HEAD` and `PATCH` are requests as others are.
    /// The session adds the draft's fields to requests of upload tasks, and sends the requests that resume one.
    public static let resumableUploads = Capabilities(rawValue: 1 << 6)

    /// Opens full-duplex connections where ``URLProtocolDemand/upstream`` asks for one: for WebSocket and stream tasks.
    public static let duplex = Capabilities(rawValue: 1 << 7)

    /// Tasks of background sessions may have this class: its instances need nothing of the program that made the task, so that they load in
    /// the transfer service as they do elsewhere. The service has to have the class, by a plugin where that is not the package's own
    /// (<doc:TransfersThatOutliveYourProgram>).
    public static let background = Capabilities(rawValue: 1 << 8)
  }
}
