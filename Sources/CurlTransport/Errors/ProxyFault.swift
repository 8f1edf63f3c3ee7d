/// What a proxy, or the way to it, is to blame for.
package enum ProxyFault: Sendable {
  /// It was not reached, or ended the conversation before it had answered: another proxy may do.
  case unreachable
  /// A SOCKS proxy requires a login, or has rejected one.
  case login
}

extension TransferFailure {
  /// Where a transfer came to nothing before it reached its server. Without a proxy, the way to the server counts as the way to one.
  package var proxyFault: ProxyFault? {
    guard reason == .libcurl, isBeforeRequest else { return nil }
    switch curlCode {
    case 7 where proxyResponse != nil: return nil  // a refused tunnel
    case 5, 7: return .unreachable  // COULDNT_RESOLVE_PROXY, COULDNT_CONNECT
    case 6: return .unreachable  // COULDNT_RESOLVE_HOST, of a direct connection
    // OPERATION_TIMEDOUT, which libcurl also reports for the connect timeout of the whole path.
    case 28: return isUnanswered ? .unreachable : nil
    case 97: return Self.fault(socksCode: socksCode)  // PROXY
    default: return nil
    }
  }

  /// CURLproxycode, from curl.h. The replies of RFC 1928, section 6, are about the server behind the proxy.
  static func fault(socksCode: Int) -> ProxyFault? {
    switch socksCode {
    case 12, 33: .login  // NO_AUTH (no acceptable method), USER_REJECTED
    case 9, 10, 11: nil  // names and passwords that are too long
    case 17...27: nil  // replies about the server, and names that are not found here
    default: .unreachable
    }
  }
}
