import Foundation
internal import URLLoadingBase

/// Everything the engine needs to know of one request.
package struct TransferRequest: Sendable {
  /// The family of protocols; a URL with another scheme is refused.
  package enum Kind: Sendable, Equatable {
    /// `http` and `https`.
    case http
    /// `ftp`, with explicit TLS if `ftpTLS` says so.
    case ftp
  }

  /// What is sent after the head.
  package enum Body: Sendable {
    case none
    case data(Data)
    /// Bytes that are pulled as they are needed. Without a length they are sent with chunked coding.
    case source(any TransferBodySource, length: Int64?)
  }

  /// What is known of a body's length.
  enum BodyLength: Equatable {
    case noBody
    case known(Int64)
    case unknown

    init(_ body: borrowing Body) {
      switch body {
      case .none: self = .noBody
      case .data(let data): self = .known(Int64(data.count))
      case .source(_, let length): self = length.map { .known($0) } ?? .unknown
      }
    }
  }

  /// Use of TLS by FTP.
  package enum FTPSecurity: Sendable, Equatable {
    /// In the clear.
    case none
    /// AUTH TLS (RFC 4217), for commands and data; no transfer without it.
    case explicit
  }

  /// The URL, sent as it is: dot segments are not resolved. A user and password in it are used.
  package var url: String
  package var kind: Kind
  /// HTTP: the method. FTP: GET, HEAD (size and date only), PUT, or a command that lists a directory.
  package var method: String
  /// The complete list, but for Host, Content-Length and Transfer-Encoding. Nothing else is added, except
  /// Accept-Encoding when `decodesContent` is set and the list has none.
  package var headers: [(name: String, value: String)]
  /// Names, in lower case, of fields that it goes without, beside those of the configuration.
  package var omittedFields: Set<String> {
    get { extras?.omittedFields ?? [] }
    set { if _extras.isPresent || !newValue.isEmpty { changeExtras { $0.omittedFields = newValue } } }
  }
  /// Names, in lower case, of fields whose values are sent as ISO-8859-1, an octet for each character; all others are sent as UTF-8.
  package var latin1Fields: Set<String> {
    get { extras?.latin1Fields ?? [] }
    set { if _extras.isPresent || !newValue.isEmpty { changeExtras { $0.latin1Fields = newValue } } }
  }
  package var body: Body {
    get { content }
    set {
      content = newValue
      bodyLength = BodyLength(newValue)
    }
  }
  private var content: Body
  /// How long the body is, also when it was taken out.
  private(set) var bodyLength: BodyLength
  /// What few requests have; nil as a rule.
  @Boxed private var extras: Extras?
  /// For the server; libcurl answers its challenges with exactly the schemes named.
  package var credential: TransferCredential? {
    get { extras?.credential }
    set { if _extras.isPresent || newValue != nil { changeExtras { $0.credential = newValue } } }
  }
  /// For the proxy, in place of the one in the configuration.
  package var proxyCredential: TransferCredential? {
    get { extras?.proxyCredential }
    set { if _extras.isPresent || newValue != nil { changeExtras { $0.proxyCredential = newValue } } }
  }
  package var proxy = ProxyChoice.configured
  /// Fields for an HTTP proxy alone, also for CONNECT. They are not validated.
  package var proxyFields: [String] {
    get { extras?.proxyFields ?? [] }
    set { if _extras.isPresent || !newValue.isEmpty { changeExtras { $0.proxyFields = newValue } } }
  }
  /// There is another route to the server: connecting by this one has a deadline of a few seconds.
  package var hasAlternative = false
  /// How new TLS connections are judged, and whose may be used again; nil for libcurl's rules.
  package var security: ConnectionSecurity? {
    get { extras?.security }
    set { if _extras.isPresent || newValue != nil { changeExtras { $0.security = newValue } } }
  }
  /// The same for TLS that starts on an established connection (``connectsOnly``). The owner is asked for trust after the handshake, and is
  /// not asked for an identity.
  package var laterSecurity: ConnectionSecurity? {
    get { extras?.laterSecurity }
    set { if _extras.isPresent || newValue != nil { changeExtras { $0.laterSecurity = newValue } } }
  }
  /// The request asks for an upgrade to another protocol (RFC 9110, section 7.8). The body is a source, which is sent by that protocol, and
  /// not read before the response 101. The connection is never shared or reused, and counts against no limit.
  package var switchesProtocols = false
  /// Only a connection is made, through a proxy if there is one, and the body, a source, is all that is sent. See EasyHandle+Connection.
  package var connectsOnly = false
  /// The request goes by HTTP/3 to there. Without a proxy; nil for TCP.
  package var quic: QUICRoute? {
    get { extras?.quic }
    set { if _extras.isPresent || newValue != nil { changeExtras { $0.quic = newValue } } }
  }
  /// The path of the Unix socket that the request is sent to; nil for the URL's host. Without a proxy.
  package var unixSocket: String? {
    get { extras?.unixSocket }
    set { if _extras.isPresent || newValue != nil { changeExtras { $0.unixSocket = newValue } } }
  }
  /// FTP: `first-last` or `first-`, in bytes.
  package var range: String? {
    get { extras?.range }
    set { if _extras.isPresent || newValue != nil { changeExtras { $0.range = newValue } } }
  }
  /// FTP: the range ends where the file does. The transfer ends with the file, and bytes beyond the range are an error.
  package var rangeReachesEnd = false
  /// FTP: what is asked before a download, and whether a listing is such a question. HEAD always asks the size.
  package var ftpQuestions = FTPQuestions.ofFile
  /// FTP: how long the transfer may take. A pause of its owner begins that anew.
  package var ftpTimeLimit: Duration? {
    get { extras?.ftpTimeLimit }
    set { if _extras.isPresent || newValue != nil { changeExtras { $0.ftpTimeLimit = newValue } } }
  }
  /// FTP: what is changed, in place of a transfer; the method is HEAD, and the URL has no path.
  package var ftpChange: FTPChange? {
    get { extras?.ftpChange }
    set { if _extras.isPresent || newValue != nil { changeExtras { $0.ftpChange = newValue } } }
  }
  /// Content codings are decoded. A body with one that is damaged or cut off makes the transfer fail, and so do more than five of them. A body
  /// with one that is unknown is delivered as it came, and so is a part (status 206): it is a range of the coded form.
  package var decodesContent: Bool
  package var ftpTLS: FTPSecurity
  /// The IP header's type of service, for a connection that this request opens.
  package var typeOfService: UInt8?
  /// The request is sent again because the server had refused it, or its answer was lost.
  package var isRepetition = false
  /// The request is not sent again for want of an answer, whatever its method.
  package var isSentOnce = false
  /// HTTP/1.1 is used, whatever the server offers.
  package var avoidsHTTP2 = false
  /// HTTP/2: 1 to 256.
  package var streamWeight: Int?
  /// The response is likely to be large: it is read with a buffer of 512 KiB in place of 64 KiB.
  package var expectsLargeBody: Bool
  /// Bytes up to which pieces of the response's body are coalesced for ``TransferHandler/transfer(_:didCoalesce:)``; 0 for none.
  package var coalescingLimit = 0
  /// Whether a success comes with metrics, which are expensive to collect from libcurl; a failure always does.
  package var wantsMetrics = true

  package init(
    url: String, kind: Kind = .http, method: String = "GET", headers: [(name: String, value: String)] = [],
    body: Body = .none, decodesContent: Bool = false
  ) {
    self.url = url
    self.kind = kind
    self.method = method
    self.headers = headers
    content = body
    bodyLength = BodyLength(body)
    self.decodesContent = decodesContent
    ftpTLS = .none
    expectsLargeBody = false
  }

  /// What few requests have: a plain one is copied without it.
  private struct Extras: Sendable {
    var omittedFields: Set<String> = []
    var latin1Fields: Set<String> = []
    var credential: TransferCredential?
    var proxyCredential: TransferCredential?
    var proxyFields: [String] = []
    var security: ConnectionSecurity?
    var laterSecurity: ConnectionSecurity?
    var quic: QUICRoute?
    var unixSocket: String?
    var range: String?
    var ftpTimeLimit: Duration?
    var ftpChange: FTPChange?
  }

  /// Whether the request may have anything that few have: credentials, rules for its connection, a Unix socket, fields that are left out or
  /// sent in another way, a range, a time limit, a change.
  var hasExtras: Bool { _extras.isPresent }

  private mutating func changeExtras(_ change: (inout Extras) -> Void) {
    var new = extras ?? Extras()
    change(&new)
    extras = new
  }

  /// The connections that it may use: those of the pool with this key; nil for the pool of all.
  var pool: ConnectionPoolKey? {
    guard hasExtras || switchesProtocols || connectsOnly else { return nil }
    let (route, socket) = (quic, unixSocket)
    guard switchesProtocols || connectsOnly || route != nil || socket != nil else { return security?.pool }
    var pool = security?.pool ?? ConnectionPoolKey()
    pool.quic = route
    pool.unixSocket = socket.map { Array($0.utf8) }
    pool.isOfSingleConnections = switchesProtocols || connectsOnly
    return pool
  }

  /// The body, which is kept no longer.
  mutating func takeBody() -> Body {
    defer { content = .none }
    return content
  }
}

/// A user's name and password, and the schemes that may use them.
package struct TransferCredential: Sendable, Equatable {
  package struct Schemes: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    // The values are those of CURLAUTH_*, whose definitions Swift cannot import.
    package static let basic = Schemes(rawValue: 1 << 0)
    package static let digest = Schemes(rawValue: 1 << 1)
    package static let negotiate = Schemes(rawValue: 1 << 2)
    package static let ntlm = Schemes(rawValue: 1 << 3)
  }

  package var user: String
  package var password: String
  package var schemes: Schemes

  package init(user: String, password: String, schemes: Schemes) {
    self.user = user
    self.password = password
    self.schemes = schemes
  }
}
