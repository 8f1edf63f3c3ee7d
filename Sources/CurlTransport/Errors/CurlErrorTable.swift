import Foundation

/// What is known about a failed transfer besides libcurl's code.
struct CurlErrorContext: Sendable {
  var kind = TransferRequest.Kind.http
  /// The head of the response was delivered.
  var hasResponse = false
  /// The connection was there and the request was about to be sent.
  var isConnected = false
  /// This machine has no route to any address that was tried.
  var lacksRoute = false
  /// OpenSSL's X509_V_ERR_* number; 0 when the chain was good.
  var verifyResult = 0
  /// The server asked for a certificate of ours, and got none.
  var lacksIdentity = false
  /// The proxy's answer to CONNECT; 0 when none came.
  var proxyStatusCode = 0
  /// An attempt to connect timed out.
  var isUnanswered = false
  /// CURLproxycode: what went wrong between libcurl and a SOCKS proxy.
  var socksCode = 0
  /// The last reply of an FTP server.
  var ftpReplyCode = 0
  var ftpReplyText = ""
}

/// The one place where libcurl's codes become those of `URLError`.
enum CurlErrorTable {
  /// The code of `URLError` for one of libcurl.
  ///
  /// - Parameter message: libcurl's message, which distinguishes the causes that share a code.
  static func urlErrorCode(forCurlCode code: Int, message: String, context: CurlErrorContext) -> URLError.Code {
    switch code {
    case 1:  // UNSUPPORTED_PROTOCOL: the scheme, or an answer that is no HTTP/1 (and then is HTTP/0.9 to libcurl)
      return message.contains("HTTP/0.9") || context.isConnected ? .cannotParseResponse : .unsupportedURL
    case 3: return .badURL  // URL_MALFORMAT
    case 4: return .unsupportedURL  // NOT_BUILT_IN
    case 5, 6: return .cannotFindHost  // COULDNT_RESOLVE_PROXY, COULDNT_RESOLVE_HOST
    case 7 where context.proxyStatusCode >= 300: return connectionCode(message, context)  // a refused tunnel
    case 7: return connectCode(context)  // COULDNT_CONNECT
    case 8 where message.hasPrefix("Multiple Location"): return .badServerResponse
    case 8: return context.kind == .ftp ? .badServerResponse : .cannotParseResponse  // WEIRD_SERVER_REPLY
    case 25 where context.kind == .http: return .badServerResponse  // a body without a length, and HTTP/1.0
    case 9, 19, 25, 78: return fileCode(code, context)  // REMOTE_ACCESS_DENIED, FTP_COULDNT_RETR_FILE, UPLOAD_FAILED
    case 10, 15, 30: return .cannotConnectToHost  // FTP_ACCEPT_FAILED, FTP_CANT_GET_HOST, FTP_PORT_FAILED
    case 11: return .userAuthenticationRequired  // FTP_WEIRD_PASS_REPLY
    case 12, 28: return .timedOut  // FTP_ACCEPT_TIMEOUT, OPERATION_TIMEDOUT
    case 13, 14, 17, 31, 84, 87: return .badServerResponse  // FTP's PASV, EPSV, TYPE, REST, PRET, lists
    case 33, 36: return .badServerResponse  // RANGE_ERROR, BAD_DOWNLOAD_RESUME
    case 16, 92, 95: return http2Code(message, context)  // HTTP2, HTTP2_STREAM, HTTP3
    case 18: return .networkConnectionLost  // PARTIAL_FILE
    case 21, 22: return .badServerResponse  // QUOTE_ERROR, HTTP_RETURNED_ERROR
    case 23: return .cannotWriteToFile  // WRITE_ERROR: our callbacks know better, and say so first
    case 26, 42, 88: return .cancelled  // READ_ERROR, ABORTED_BY_CALLBACK, CHUNK_FAILED
    case 27:  // OUT_OF_MEMORY: also libcurl's answer to a line beyond its limit
      return isLineTooLong(context) ? .dataLengthExceedsMaximum : .unknown
    case 35, 64, 80: return tlsCode(message, context)  // SSL_CONNECT_ERROR, USE_SSL_FAILED, SSL_SHUTDOWN_FAILED
    case 53, 54, 59, 66, 77, 82, 83: return .secureConnectionFailed  // engines, ciphers, CA and CRL files
    case 43 where context.kind == .http: return .cannotParseResponse  // BAD_FUNCTION_ARGUMENT: a line that is no field
    case 45: return .cannotConnectToHost  // INTERFACE_FAILED
    case 47: return .httpTooManyRedirects  // TOO_MANY_REDIRECTS
    case 52: return .networkConnectionLost  // GOT_NOTHING
    case 55, 56: return connectionCode(message, context)  // SEND_ERROR, RECV_ERROR
    case 58: return .clientCertificateRejected  // SSL_CERTPROBLEM
    case 60, 90, 91: return verificationCode(context.verifyResult)  // PEER_FAILED_VERIFICATION, pins, OCSP
    case 61: return .cannotDecodeContentData  // BAD_CONTENT_ENCODING
    case 63: return .dataLengthExceedsMaximum  // FILESIZE_EXCEEDED
    case 65: return .requestBodyStreamExhausted  // SEND_FAIL_REWIND
    case 67, 94: return .userAuthenticationRequired  // LOGIN_DENIED, AUTH_ERROR
    case 70: return .cannotWriteToFile  // REMOTE_DISK_FULL
    case 73: return .noPermissionsToReadFile  // REMOTE_FILE_EXISTS
    case 81, 89, 99: return .networkConnectionLost  // AGAIN, NO_CONNECTION_AVAILABLE, UNRECOVERABLE_POLL
    case 96: return .cannotConnectToHost  // QUIC_CONNECT_ERROR
    case 97:  // PROXY
      return TransferFailure.fault(socksCode: context.socksCode) == .login
        ? .userAuthenticationRequired : .cannotConnectToHost
    case 98: return .clientCertificateRequired  // SSL_CLIENTCERT
    case 100: return .dataLengthExceedsMaximum  // TOO_LARGE (8.6)
    case 101: return .secureConnectionFailed  // ECH_REQUIRED (8.8)
    default:
      // The other codes cannot come from a transfer over HTTP or FTP: misuse of libcurl (2, 41, 43, 48, 49, 93), other
      // protocols (34, 37, 38, 39, 68, 69, 71, 72, 74, 79, 85, 86) and obsolete codes.
      return .unknown
    }
  }

  /// The limit that a line of the header or the trailers exceeded; nil for any other failure. libcurl reports that as
  /// out of memory (`CURL_MAX_HTTP_HEADER`, `DYN_H1_TRAILER`), from 8.6 on as too large.
  static func exceededLineLength(forCurlCode code: Int, message: String, context: CurlErrorContext) -> Int? {
    guard context.kind == .http else { return nil }
    switch code {
    case 27 where isLineTooLong(context): return 100 * 1024
    // TOO_LARGE has words of its own for the number of fields, and none for a line.
    case 100 where isLineTooLong(context) && message.hasPrefix("A value or data field grew larger"): return 100 * 1024
    case 56 where isTrailerTooLong(message), 100 where isTrailerTooLong(message): return 4096
    default: return nil
    }
  }

  private static func isTrailerTooLong(_ message: String) -> Bool {
    message.hasPrefix("Out of memory in chunked-encoding")
  }

  private static func isLineTooLong(_ context: CurlErrorContext) -> Bool {
    context.isConnected && !context.hasResponse
  }

  private static func connectCode(_ context: CurlErrorContext) -> URLError.Code {
    // FTP's second connection fails for another reason than want of a network.
    let isSecond = context.kind == .ftp && context.isConnected
    return context.lacksRoute && !isSecond ? .notConnectedToInternet : .cannotConnectToHost
  }

  /// FTP: tells a file that does not exist from one that may not be accessed. Servers use 550 for both (RFC 959
  /// section 4.2), so their words decide.
  private static func fileCode(_ code: Int, _ context: CurlErrorContext) -> URLError.Code {
    let text = context.ftpReplyText.lowercased()
    if context.ftpReplyCode == 530 || context.ftpReplyCode == 331 { return .userAuthenticationRequired }
    if context.ftpReplyCode == 452 || context.ftpReplyCode == 552 { return .cannotWriteToFile }
    for word in ["permission", "privilege", "denied", "not allowed", "forbidden"] where text.contains(word) {
      return .noPermissionsToReadFile
    }
    for word in ["is a directory", "not a regular file", "not a plain file"] where text.contains(word) {
      return .fileIsDirectory
    }
    switch code {
    case 25: return .noPermissionsToReadFile
    case 9, 78: return .fileDoesNotExist
    default: return context.ftpReplyCode == 550 ? .fileDoesNotExist : .badServerResponse
    }
  }

  private static func http2Code(_ message: String, _ context: CurlErrorContext) -> URLError.Code {
    if message.contains("COMPRESSION_ERROR") || message.contains("PROTOCOL_ERROR"), !context.hasResponse {
      return .cannotParseResponse
    }
    return .networkConnectionLost
  }

  /// libcurl reports lost connections and unreadable responses as SEND_ERROR and RECV_ERROR.
  private static func connectionCode(_ message: String, _ context: CurlErrorContext) -> URLError.Code {
    if context.proxyStatusCode == 407 { return .userAuthenticationRequired }
    if context.proxyStatusCode >= 300 { return .cannotConnectToHost }
    if message.contains("Too large response headers") { return .dataLengthExceedsMaximum }
    for words in ["chunk", "Invalid status", "Header without colon", "Malformed"] where message.contains(words) {
      return .cannotParseResponse
    }
    if message.contains("alert") || message.contains("SSL routines") {
      let code = tlsCode(message, context)
      if code != .secureConnectionFailed || !context.hasResponse { return code }
    }
    return .networkConnectionLost
  }

  /// Alerts of RFC 8446 section 6.2 that speak of our certificate, by OpenSSL's words. Servers written in Go say of a missing one that it is
  /// bad, also with TLS 1.3.
  private static func tlsCode(_ message: String, _ context: CurlErrorContext) -> URLError.Code {
    if message.contains("certificate required") || message.contains("handshake failure, client") {
      return .clientCertificateRequired
    }
    for words in ["alert bad certificate", "alert unknown ca", "alert certificate", "alert unsupported certificate"]
    where message.contains(words) {
      return context.lacksIdentity ? .clientCertificateRequired : .clientCertificateRejected
    }
    // A certificate's signature is wrong: libcurl looks at the first error that OpenSSL notes, which here is not the verification's.
    if message.contains("asn1 encoding routines"), message.contains("EVP lib") { return .serverCertificateUntrusted }
    return .secureConnectionFailed
  }

  /// OpenSSL's X509_V_ERR_* numbers, from x509_vfy.h.
  static func verificationCode(_ result: Int) -> URLError.Code {
    switch result {
    case 9, 11: return .serverCertificateNotYetValid  // NOT_YET_VALID, CRL_NOT_YET_VALID
    case 10, 12, 13, 14: return .serverCertificateHasBadDate  // HAS_EXPIRED, unreadable dates
    // As Apple's system has it: also for an unknown root and for one that signed itself.
    default: return .serverCertificateUntrusted  // no issuer, another host's, revoked, too weak
    }
  }
}
