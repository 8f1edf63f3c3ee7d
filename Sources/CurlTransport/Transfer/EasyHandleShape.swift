internal import URLLoadingBase

/// The options of an easy handle that differ between requests, but for the URL, the header list and the body.
///
/// Two requests of the same shape need no other option to be set between them.
struct EasyHandleShape: Equatable {
  static let largeBufferThreshold: Int64 = 1024 * 1024

  var kind: TransferRequest.Kind
  var method: String
  var hasBody: Bool
  var hasLargeBody: Bool
  /// The body goes with the head; see EasyHandle+InlineBody.
  var hasInlineBody: Bool
  var expectsLargeBody: Bool
  var isHTTPS: Bool
  var decodesContent: Bool
  var ftpTLS: TransferRequest.FTPSecurity
  var avoidsHTTP2: Bool
  var streamWeight: Int?
  /// The connection is judged by ``ConnectionSecurity``, and shares no TLS session.
  var isIsolated: Bool
  var switchesProtocols: Bool
  var connectsOnly: Bool
  /// What few requests have; nil for a plain one, whose shape is made and compared without it.
  private var extras: Extras?

  private final class Extras: Equatable {
    let proxy: ProxyServer?
    let credential: TransferCredential?
    let proxyCredential: TransferCredential?
    let proxyFields: [String]
    let quic: QUICRoute?
    let unixSocket: String?
    let range: String?
    let omittedFields: Set<String>
    let latin1Fields: Set<String>

    init(_ request: borrowing TransferRequest, _ proxy: ProxyServer?) {
      self.proxy = proxy
      credential = request.credential
      proxyCredential = request.proxyCredential
      proxyFields = request.proxyFields
      quic = request.quic
      unixSocket = request.unixSocket
      range = request.rangeReachesEnd ? nil : request.range
      omittedFields = request.omittedFields
      latin1Fields = request.latin1Fields
    }

    static func == (left: Extras, right: Extras) -> Bool {
      left.proxy == right.proxy && left.credential == right.credential && left.proxyCredential == right.proxyCredential
        && left.proxyFields == right.proxyFields && left.quic == right.quic
        && left.unixSocket.map { Array($0.utf8) } == right.unixSocket.map { Array($0.utf8) }
        && left.range == right.range && left.omittedFields == right.omittedFields
        && left.latin1Fields == right.latin1Fields
    }
  }

  var proxy: ProxyServer? { extras?.proxy }
  var credential: TransferCredential? { extras?.credential }
  var proxyCredential: TransferCredential? { extras?.proxyCredential }
  var proxyFields: [String] { extras?.proxyFields ?? [] }
  var quic: QUICRoute? { extras?.quic }
  /// The path of the Unix socket that takes the host's place; nil where the engine's transfers have none of their own.
  var unixSocket: String? { extras?.unixSocket }
  /// FTP: where libcurl is to end a transfer before the server does.
  var range: String? { extras?.range }
  var omittedFields: Set<String> { extras?.omittedFields ?? [] }
  var latin1Fields: Set<String> { extras?.latin1Fields ?? [] }

  init(
    _ request: borrowing TransferRequest, body: borrowing TransferRequest.Body, _ network: NetworkLimits,
    proxy: ProxyServer?
  ) {
    kind = request.kind
    method = request.method
    expectsLargeBody = request.expectsLargeBody
    isHTTPS = request.url.isHTTPS
    decodesContent = request.decodesContent
    hasBody = Self.hasBody(request)
    hasLargeBody = hasBody && Self.hasLargeBody(request)
    hasInlineBody = hasBody && EasyHandle.sendsInline(body, of: request, isHTTPS: isHTTPS, network)
    extras = proxy == nil && !request.hasExtras ? nil : Extras(request, proxy)
    ftpTLS = request.ftpTLS
    avoidsHTTP2 = request.avoidsHTTP2
    streamWeight = request.streamWeight
    isIsolated = request.security != nil
    switchesProtocols = request.switchesProtocols
    connectsOnly = request.connectsOnly
  }

  private static func hasBody(_ request: borrowing TransferRequest) -> Bool {
    // The response to HEAD has no body, and libcurl can only ask for that without one in the request.
    if request.method == "HEAD" || request.connectsOnly { return false }
    if request.bodyLength == .noBody {
      // Methods that anticipate a body send Content-Length: 0 without one (RFC 9110 section 8.6).
      return request.kind == .http && (request.method == "POST" || request.method == "PUT" || request.method == "PATCH")
    }
    return true
  }

  private static func hasLargeBody(_ request: borrowing TransferRequest) -> Bool {
    if request.switchesProtocols { return false }
    return switch request.bodyLength {
    case .noBody: false
    case .known(let length): length > Self.largeBufferThreshold
    case .unknown: true
    }
  }

  /// The connection has a handshake of TLS before the first request, with the server or with a proxy.
  var usesTLS: Bool { isHTTPS || ftpTLS == .explicit || proxy?.kind == .https }

  /// A proxy gets the request itself, and no tunnel to the server.
  var isForwarded: Bool {
    guard kind == .http, !isHTTPS, !switchesProtocols, !connectsOnly, let proxy else { return false }
    return !proxy.kind.isSOCKS
  }

  /// A server gets the path and the query of the URL alone, and nothing but the request has them. Digest signs the URL's.
  var takesTarget: Bool { kind == .http && isReusable && !isForwarded && !switchesProtocols && !connectsOnly }

  /// libcurl caches the authentication state of servers: a handle that had credentials is reset.
  var isReusable: Bool {
    guard let extras else { return true }
    return extras.credential == nil && extras.proxyCredential == nil && extras.proxy?.user == nil
      && extras.proxyFields.isEmpty
  }

  /// libcurl would keep larger buffers than the usual ones for as long as the handle lives.
  var keepsLargeBuffers: Bool { hasLargeBody }
}

extension String {
  /// The scheme is `https`, in any case.
  fileprivate var isHTTPS: Bool { withBytes { $0.hasPrefixIgnoringASCIICase("https:") } }
}
