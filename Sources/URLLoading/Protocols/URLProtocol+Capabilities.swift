extension URLProtocol {
  /// What a protocol class declares: what it can do beyond sending bytes, the schemes that it stands for, the methods that it carries out.
  /// Sessions and the conformance suite go by it.
  ///
  /// ```swift
  /// override class var capabilities: Capabilities { [.byteRanges, .upload, .schemes("sftp")] }
  /// ```
  ///
  /// It is a set of declarations: a literal unites its elements. Sessions read it several times a load: a class whose loads are short
  /// returns a constant of its own.
  public struct Capabilities: ExpressibleByArrayLiteral, Sendable, Equatable {
    /// The declarations without values, a bit each.
    private var bits: UInt16

    /// The URL schemes that the class stands for, in lower case, each once: what an error about an unknown scheme lists as available.
    public private(set) var schemes: [String] = []

    private var methods: [String] = []

    private init(bits: UInt16) { self.bits = bits }

    /// Unites the elements; without any, nothing is declared.
    public init(arrayLiteral elements: Capabilities...) {
      bits = 0
      for element in elements { insert(element) }
    }

    /// The methods that the class carries out, in upper case, each once, as an error is to list them. A load by another one fails before
    /// there is an instance, and so does one whose body its method does not take: `GET`, `HEAD`, `DELETE`, `MKCOL`, `MOVE`, `COPY`,
    /// `TRACE` and `CONNECT` take none, `PUT` needs one. An upload task whose request has no method of its own is a `PUT` where that is among them.
    ///
    /// Nil where none is declared: instances get every request, whatever its method, but a `HEAD` with a body.
    public var acceptedHTTPMethods: [String]? { methods.isEmpty ? nil : methods }

    // MARK: Declarations

    /// Stands for URL schemes.
    /// - Parameter names: in lower case.
    public static func schemes(_ names: String...) -> Capabilities {
      var declared = Capabilities(bits: 0)
      declared.schemes = united([], names)
      return declared
    }

    /// Carries out these methods, and no others.
    /// - Parameter methods: in upper case; without any, nothing is declared.
    public static func acceptedHTTPMethods(_ methods: String...) -> Capabilities {
      var declared = Capabilities(bits: 0)
      declared.methods = united([], methods)
      return declared
    }

    /// A request's `Range` and `If-Range` fields are honoured; downloads of this class can resume.
    public static let byteRanges = Capabilities(bits: 1 << 0)

    /// The body of a `PUT` is stored at the URL, by no other method's of an upload task.
    public static let upload = Capabilities(bits: 1 << 1)

    /// A redirect that came from another class may lead here. Never declared by a class that reaches local resources:
    /// what a server sends must not make a program load them.
    public static let acceptsRedirects = Capabilities(bits: 1 << 2)

    /// `startLoading` and `stopLoading` return at once, so that they may be called on any thread.
    public static let nonblocking = Capabilities(bits: 1 << 3)

    /// Lists the entries of the directory that a URL names, where ``URLProtocolDemand/wantsEntries`` says so.
    public static let listing = Capabilities(bits: 1 << 4)

    /// A failure with `URLError.notConnectedToInternet` says that no connection could be made for want of a route or a name service.
    /// Where the session waits for connectivity (``URLSessionConfiguration/waitsForConnectivity``), the load does not fail then: another
    /// instance tries again. That is so until an instance has told anything of its peer, such as a redirect, a challenge, a response or
    /// bytes of the body that were sent; from then on the same error ends the load.
    ///
    /// Not to be said of a server that refused, that did not answer, or whose name does not exist. In a class that does not declare this
    /// the error is one like others, such as a test's.
    public static let connectivity = Capabilities(bits: 1 << 5)

    /// An upload may be resumed by draft-ietf-httpbis-resumable-upload: interim responses are reported
    /// (``URLProtocolSessionClient/urlProtocol(_:didReceiveInformationalResponse:)``), and `HEAD` and `PATCH` are requests as others are.
    /// The session adds the draft's fields to requests of upload tasks, and sends the requests that resume one.
    public static let resumableUploads = Capabilities(bits: 1 << 6)

    /// Opens full-duplex connections where ``URLProtocolDemand/upstream`` asks for one: for WebSocket and stream tasks.
    public static let duplex = Capabilities(bits: 1 << 7)

    /// Tasks of background sessions may have this class: its instances need nothing of the program that made the task, so that they load in
    /// the transfer service as they do elsewhere. The service has to have the class, by a plugin where that is not the package's own
    /// (<doc:TransfersThatOutliveYourProgram>).
    public static let background = Capabilities(bits: 1 << 8)

    /// Answers a `HEAD` with what it knows of a file, a directory or a link, where ``URLProtocolDemand/wantsInfo`` says so.
    public static let resourceInfo = Capabilities(bits: 1 << 9)

    /// A load may be tried again by another instance, as the session says (``URLSessionConfiguration/retryPolicy``): errors mean what
    /// `URLError` says of them, so that after `cannotConnectToHost`, for one, nothing has reached the server. Not to be declared by a class
    /// that loads by other loads of its session, which are tried again themselves.
    public static let retries = Capabilities(bits: 1 << 10)

    // MARK: Sets

    /// Whether nothing is declared.
    public var isEmpty: Bool { bits == 0 && schemes.isEmpty && methods.isEmpty }

    /// Whether all that `other` declares is declared.
    public func contains(_ other: Capabilities) -> Bool {
      bits & other.bits == other.bits && other.schemes.allSatisfy { schemes.contains($0) }
        && other.methods.allSatisfy { methods.contains($0) }
    }

    /// Adds what `other` declares.
    public mutating func insert(_ other: Capabilities) {
      bits |= other.bits
      schemes = Self.united(schemes, other.schemes)
      methods = Self.united(methods, other.methods)
    }

    /// What either declares.
    public func union(_ other: Capabilities) -> Capabilities {
      var result = self
      result.insert(other)
      return result
    }

    /// What is declared here, and not by `other`.
    public func subtracting(_ other: Capabilities) -> Capabilities {
      var result = self
      result.bits &= ~other.bits
      result.schemes.removeAll { other.schemes.contains($0) }
      result.methods.removeAll { other.methods.contains($0) }
      return result
    }

    /// Whether both declare the same, in whatever order.
    public static func == (lhs: Capabilities, rhs: Capabilities) -> Bool { lhs.contains(rhs) && rhs.contains(lhs) }

    /// Names in the order in which they were declared, each once.
    private static func united(_ names: [String], _ others: [String]) -> [String] {
      guard !others.isEmpty else { return names }
      return others.reduce(into: names) { result, name in
        if !result.contains(name) { result.append(name) }
      }
    }
  }
}
