import Foundation
internal import URLLoadingCCurl
package import URLLoadingX509

/// Why a transfer failed.
package struct TransferFailure: Error, Sendable {
  // Indirect: the result of each transfer has room for the largest.
  package indirect enum Reason: Sendable, Equatable {
    /// libcurl said so; see `curlCode`.
    case libcurl
    /// The request cannot be sent as it is.
    case invalidRequest(String)
    /// The head or the trailers of the response exceed the limit.
    case headTooLarge
    /// The response's framing is contradictory or malformed (RFC 9112, section 6.3).
    case malformedHead(String)
    /// The connection was closed before the head of the response was complete.
    case incompleteHead
    /// The body's content coding is damaged or cut off.
    case undecodableBody(String)
    /// The body's content codings are not ones that are decoded.
    case unknownCoding(String)
    /// The body source failed; see `bodyError`.
    case bodyFailed
    /// The body had to be sent again and its source could not start over.
    case bodyNotRewindable
    /// The body source ended before the length that was announced.
    case bodyTooShort
    /// The request got no response on a reused connection, and the method is not idempotent.
    case notRepeated(method: String)
    /// The server has refused the request unprocessed, and again when it was repeated.
    case refused
    /// The server answered before it had read the request's body, and libcurl has lost the answer.
    case lostAnswer
    /// FTP: the server did not reply to SIZE or MDTM in time. The transfer may be repeated without these.
    case unanswered(FTPQuestions)
    /// TLS was not started on an established connection, for the reason in words.
    case refusedHandshake(String)
    /// The peer closed a TLS connection without close_notify.
    case truncated
    /// FTP: the server refuses REST.
    case restartRefused
    /// FTP: what was to be changed is not.
    case refusedChange(FTPRefusal)
    /// FTP: the number of bytes received differs from the announced one.
    case wrongLength(received: Int64, expected: Int64)
    /// The handshake was aborted, so that the owner can evaluate its trust in the server. It may be repeated with the answer.
    case serverTrust(ShownPeer)
    /// The file of trusted certificates cannot be read.
    case unreadableRoots(String)
    /// The server's certificates are not trusted.
    case untrustedServer(TrustVerdict)
    /// The same, for a known HSTS host, whose certificate errors cannot be overridden (RFC 6797, section 8.4).
    case untrustedKnownHost(TrustVerdict)
    /// The server shows other certificates than those that were accepted a moment ago.
    case changedCertificates(host: String)
    /// The server breaks what ``TLSRequirements`` ask.
    case brokenRequirement(TLSRequirements.Violation)
    /// The server requests a client certificate. Repeat the handshake with an identity, or explicitly without one.
    case clientCertificateRequested(TLSEndpoint, authorities: [Data])
    /// OpenSSL cannot use the identity.
    case unusableIdentity(String)
    /// A connection was about to be reused whose handshake was not judged by the transfer's rules.
    case unverifiedConnection
    /// A connection was about to be reused that the server had closed, and libcurl would have used it.
    case closedBefore
    /// Each request with credentials was refused, as if it only had to be sent once more.
    case endlessRefusal(isByProxy: Bool)
    /// There is another way than QUIC, which did not do.
    case quic(QUICFault)
    /// No connection was made to a Unix socket.
    /// - Parameter error: the number of the system's error.
    case unixSocket(path: String, error: Int32)
    /// The engine was shut down.
    case engineShutDown
    case outOfMemory
    /// The system has no thread, or no descriptor, for what cannot be done, in words.
    /// - Parameter error: the number of the system's error.
    case unavailable(String, error: Int32)

    static func noDescriptorForRoots(_ error: Int32) -> Reason {
      .unavailable("the file of trusted certificates cannot be opened", error: error)
    }
  }

  package var reason: Reason
  package var urlErrorCode: URLError.Code
  /// libcurl's code; 0 when it was not libcurl that failed.
  package var curlCode: Int
  /// The code of an FTP server's last reply (RFC 959 section 4.2); 0 when there was none.
  package var ftpReplyCode = 0
  /// libcurl's own words for this failure, or ours.
  package var message: String
  /// The error of the body source.
  package var bodyError: (any Error)?
  /// The proxy's answer when it refused to open a tunnel. With status 407 it has the challenge.
  package var proxyResponse: TransferHead?
  /// CURLproxycode: what went wrong between libcurl and a SOCKS proxy; 0 for nothing.
  var socksCode = 0
  /// An attempt to connect timed out.
  var isUnanswered = false
  /// It failed before the request was sent.
  var isBeforeRequest = false
  package var metrics = TransferMetrics.unknown
  /// A reused connection was stale, no byte of a response arrived, and the request may be retried.
  package var isRepeatable = false
  /// HTTP/3: why another way is to be taken; nil where none is of use.
  package var quicFault: QUICFault?

  /// A failure that libcurl does not report.
  package init(_ reason: Reason) {
    self.reason = reason
    curlCode = 0
    if case .quic(let fault) = reason { quicFault = fault }
    if case .refusedChange(let refusal) = reason { ftpReplyCode = refusal.replyCode }
    (urlErrorCode, message) =
      switch reason {
      case .libcurl: (.unknown, "the transfer failed")
      case .invalidRequest(let text): (.badURL, text)
      case .headTooLarge:
        (
          .dataLengthExceedsMaximum,
          "the response's header is larger than is taken: \(ResponseHeadParser.maximumBytes) bytes and \(ResponseHeadParser.maximumFields) fields"
        )
      case .malformedHead(let text): (.cannotParseResponse, text)
      case .incompleteHead:
        (.networkConnectionLost, "the connection was closed before the head of the response was complete")
      case .undecodableBody(let text): (.cannotDecodeRawData, text)
      case .unknownCoding(let text): (.cannotDecodeContentData, text)
      case .bodyFailed: (.requestBodyStreamExhausted, "the request's body could not be read")
      case .bodyNotRewindable:
        (.requestBodyStreamExhausted, "the request's body must be sent again, and cannot be read a second time")
      case .bodyTooShort: (.requestBodyStreamExhausted, "the request's body ended before its announced length")
      case .notRepeated(let method):
        (
          .networkConnectionLost,
          "no answer came, and the request was not sent again: nothing tells whether the server has carried it out, and "
            + "\(method) is not idempotent. Send it again where doing it twice does no harm, or find out first whether it was done"
        )
      case .refused:
        (
          .networkConnectionLost,
          "the server refused the request unprocessed, and refused it again when it was repeated"
        )
      case .closedBefore: (.networkConnectionLost, "the server had closed the connection, and nothing was sent on it")
      case .lostAnswer:
        (
          .networkConnectionLost,
          "the server answered before it had read the request's body, and this version of libcurl has lost the answer; 8.1 and later keep it"
        )
      case .refusedHandshake(let words): (.secureConnectionFailed, "TLS cannot begin on this connection: \(words)")
      case .truncated:
        (
          .networkConnectionLost,
          "the connection has ended without the notice that TLS wants of a peer that is done (close_notify: RFC 8446, section 6.1), so that "
            + "something may be missing behind what came"
        )
      case .unanswered(let question): (.timedOut, "the server did not answer \(question.name)")
      case .restartRefused: (.badServerResponse, "the server does not begin in the middle of a file (REST)")
      case .refusedChange(let refusal): (refusal.code, refusal.words)
      case .wrongLength(let received, let expected):
        (.networkConnectionLost, "the server sent \(received) bytes where \(expected) were to come")
      case .unreadableRoots(let path): (.secureConnectionFailed, "error setting certificate file: \(path)")
      case .serverTrust(let peer) where peer.verdict.isTrusted:
        (.serverCertificateUntrusted, "the server was not accepted")
      case .serverTrust(let peer): Self.words(for: peer.verdict)
      case .untrustedServer(let verdict): Self.words(for: verdict)
      case .untrustedKnownHost(let verdict):
        (
          CurlErrorTable.verificationCode(verdict.code),
          Self.words(for: verdict).1
            + ". The host has asked to be reached by trusted connections alone (Strict-Transport-Security), and nobody may accept another"
        )
      case .changedCertificates(let host):
        (
          .serverCertificateUntrusted,
          "\(host) showed other certificates than those that were accepted for it a moment ago. Load again to judge the new ones"
        )
      case .brokenRequirement(let violation):
        (
          .appTransportSecurityRequiresSecureConnection,
          "the server has \(violation.found), which the session's requirements do not allow"
        )
      case .clientCertificateRequested(let endpoint, _):
        (.clientCertificateRequired, "\(endpoint.host) asks for a certificate of the client")
      case .unusableIdentity(let name): (.clientCertificateRejected, "the identity \(name) cannot be used to log in")
      case .endlessRefusal(let isByProxy):
        (
          .userAuthenticationRequired,
          "the \(isByProxy ? "proxy" : "server") refused login after login and said each time that only its nonce was stale"
        )
      case .unverifiedConnection:
        (.secureConnectionFailed, "the connection's server was not verified, and nothing was sent to it")
      case .quic(.refused): (.cannotConnectToHost, "the server was not reached by HTTP/3")
      case .quic(.abandoned): (.cannotConnectToHost, "the way by HTTP/3 was given up before the request was sent")
      case .quic(.headStartOver): (.cannotConnectToHost, "there was no connection by HTTP/3 in time")
      case .quic(.pathLost): (.networkConnectionLost, "nothing came any more on the connection by HTTP/3")
      case .unixSocket(let path, let error): (.cannotConnectToHost, UnixSocketPath.words(for: path, error))
      case .engineShutDown: (.cancelled, "the transfer engine was shut down")
      case .outOfMemory: (.unknown, "there was not enough memory for the transfer")
      case .unavailable(let what, let error): (.resourceUnavailable, "\(what): \(String(cString: strerror(error)))")
      }
  }

  /// For what libcurl calls a bad argument.
  private static let noField =
    "a line of the response's head is no field: it has no name with a colon (RFC 9112, section 5)"

  private static func words(for verdict: TrustVerdict) -> (URLError.Code, String) {
    (CurlErrorTable.verificationCode(verdict.code), "SSL certificate problem: \(verdict.reason)")
  }

  /// The system's error that this stands for; nil where there is none.
  package var systemError: (any Error)? {
    switch reason {
    case .unavailable(_, let error), .unixSocket(_, let error):
      return POSIXErrorCode(rawValue: error).map { POSIXError($0) }
    default: return nil
    }
  }

  /// Whose name could not be resolved. CURLE_COULDNT_RESOLVE_PROXY and CURLE_COULDNT_RESOLVE_HOST do not tell the
  /// cause.
  package enum UnresolvedName: Sendable { case proxy, host }

  /// The name that was not found; nil where that is not what happened.
  package var unresolvedName: UnresolvedName? {
    switch (reason, curlCode) {
    case (.libcurl, 5): .proxy
    case (.libcurl, 6): .host
    default: nil
    }
  }

  /// No name service could be reached, or it could not say: the name may exist.
  package mutating func lacksNameService() {
    urlErrorCode = .notConnectedToInternet
    message += ": no name service can be reached"
  }

  /// No byte of a response arrived.
  var hasNoResponse: Bool { metrics.responseHeaderBytes == 0 && metrics.responseBodyBytes == 0 }

  /// The connection was stale, where no byte of a response arrived.
  var isOfStaleConnection: Bool {
    switch curlCode {
    // HTTP2: a connection that takes many requests was given up, which may be new, such as one to a server that is about to stop.
    case 16: return true
    // HTTP2_STREAM: libcurl 8.23 resets what it cannot send on such a connection, with a number that is no code of HTTP/2.
    case 92: return message.contains("reset by curl") && message.contains("unknown")
    // PARTIAL_FILE, of such a connection, too; GOT_NOTHING, SEND_ERROR, RECV_ERROR.
    // libcurl itself has sent the request again on connection after connection, the last of which may be new.
    case 18, 52, 55, 56: return metrics.isReusedConnection || message.hasPrefix("Connection died, tried ")
    case 65: return true  // libcurl was about to send the body again, on a new connection
    default: return false
    }
  }

  /// The stream was closed in good order, with a whole head, before the request's body was sent, and libcurl before 8.1 has dropped what
  /// came. That code has words for any other cause.
  func hasLostAnswer(words: String) -> Bool {
    CurlLibrary.shared.losesEarlyAnswers && curlCode == 92 && words.isEmpty
  }

  init(_ error: InvalidRequest) {
    self.init(.invalidRequest(error.message))
    urlErrorCode = error.urlErrorCode
  }

  /// A failure of libcurl; `words` are those that it wrote, if any.
  init(curlCode: Int, words: String, context: CurlErrorContext) {
    reason = .libcurl
    self.curlCode = curlCode
    ftpReplyCode = context.ftpReplyCode
    socksCode = context.socksCode
    isUnanswered = context.isUnanswered
    isBeforeRequest = !context.isConnected
    message = words
    if words.isEmpty, let text = curl_easy_strerror(CURLcode(UInt32(clamping: curlCode))) {
      message = String(cString: text)
    }
    if curlCode == 43, context.kind == .http, words.isEmpty { message = Self.noField }
    urlErrorCode = CurlErrorTable.urlErrorCode(forCurlCode: curlCode, message: message, context: context)
    if let limit = CurlErrorTable.exceededLineLength(forCurlCode: curlCode, message: message, context: context) {
      reason = .headTooLarge
      urlErrorCode = .dataLengthExceedsMaximum
      message = "the response's header has a line that is longer than \(limit) bytes, which libcurl does not take"
    }
  }
}

/// A request that is refused before anything of it is sent.
struct InvalidRequest: Error {
  var message: String
  var urlErrorCode = URLError.Code.badURL

  /// A connection past a proxy that should be taken would be another way than the user's.
  static func malformedProxy(_ variable: String) -> InvalidRequest {
    InvalidRequest(message: "the environment variable \(variable) names no proxy, such as http://HOST:PORT")
  }

  /// The oldest libcurl that the package is tested with.
  static func oldLibrary(_ version: String) -> InvalidRequest {
    InvalidRequest(
      message: "libcurl 7.88 or newer is needed, and this program has \(version)", urlErrorCode: .resourceUnavailable)
  }

  /// A session judges servers, or logs in with certificates, and libcurl is not one that this package can do that with.
  static var otherTLSLibrary: InvalidRequest {
    InvalidRequest(
      message:
        "server trust and client certificates need a libcurl that speaks TLS by OpenSSL, of the version that this program is "
        + "linked with (Debian: libcurl4, not libcurl3-gnutls)",
      urlErrorCode: .secureConnectionFailed)
  }
}
