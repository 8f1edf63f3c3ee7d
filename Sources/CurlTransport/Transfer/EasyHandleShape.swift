/// The options of an easy handle that differ between requests, but for the URL, the header list and the body.
///
/// Two requests of the same shape need no other option to be set between them.
struct EasyHandleShape: Equatable {
  static let largeBufferThreshold: Int64 = 1024 * 1024

  var kind: TransferRequest.Kind
  var method: String
  var hasBody: Bool
  var hasLargeBody: Bool
  var expectsLargeBody: Bool
  var isHTTPS: Bool
  var decodesContent: Bool
  var proxy: ProxyServer?
  var credential: TransferCredential?
  var proxyCredential: TransferCredential?
  var range: String?
  var ftpTLS: TransferRequest.FTPSecurity
  var streamWeight: Int?
  var usesOwnConnection: Bool
  var connectTimeout: Double?

  init(_ request: TransferRequest, proxy: ProxyServer?) {
    kind = request.kind
    method = request.method
    expectsLargeBody = request.expectsLargeBody
    isHTTPS = request.url.isHTTPS
    decodesContent = request.decodesContent
    self.proxy = proxy
    credential = request.credential
    proxyCredential = request.proxyCredential
    range = request.range
    ftpTLS = request.ftpTLS
    streamWeight = request.streamWeight
    usesOwnConnection = request.usesOwnConnection
    connectTimeout = request.connectTimeout
    switch request.body {
    case .none: (hasBody, hasLargeBody) = (Self.alwaysHasBody(request), false)
    case .data(let data): (hasBody, hasLargeBody) = (true, data.count > Self.largeBufferThreshold)
    case .source(_, let length): (hasBody, hasLargeBody) = (true, length.map { $0 > Self.largeBufferThreshold } ?? true)
    }
    // The response to HEAD has no body, and libcurl can only ask for that without one in the request.
    if method == "HEAD" { hasBody = false }
  }

  /// Methods whose meaning expects a body say so with a length of 0 (RFC 9110 section 8.6).
  private static func alwaysHasBody(_ request: TransferRequest) -> Bool {
    request.kind == .http && (request.method == "POST" || request.method == "PUT" || request.method == "PATCH")
  }

  /// libcurl remembers what servers said about credentials: a handle that had some starts afresh.
  var isReusable: Bool {
    credential == nil && proxyCredential == nil && proxy?.user == nil
  }

  /// The handle has larger buffers than the usual ones. libcurl would keep them for as long as the handle lives.
  var hasLargeBuffers: Bool { expectsLargeBody || hasLargeBody }
}

extension String {
  /// The scheme is `https`, in any case.
  fileprivate var isHTTPS: Bool {
    var index = 0
    for byte in utf8 {
      switch index {
      case 0: if byte.asciiLowercased != UInt8(ascii: "h") { return false }
      case 1, 2: if byte.asciiLowercased != UInt8(ascii: "t") { return false }
      case 3: if byte.asciiLowercased != UInt8(ascii: "p") { return false }
      case 4: if byte.asciiLowercased != UInt8(ascii: "s") { return false }
      default: return byte == UInt8(ascii: ":")
      }
      index += 1
    }
    return false
  }
}
