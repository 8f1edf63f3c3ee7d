import Foundation
internal import URLLoadingBase

/// Properties of a URL that every load needs, computed once: each access of a `URL` counts references, which loads of the same URL in
/// other threads write to as well.
package struct URLFacts {
  /// The whole URL; empty where there is none.
  package let text: String
  /// Whether the scheme is `http` or `https`.
  package let isHTTP: Bool
  /// Whether the scheme is `https`.
  package let isHTTPS: Bool
  /// Whether HTTP is spoken: over a network, or to a Unix socket.
  package var speaksHTTP: Bool { isHTTP || isOfUnixSocket }
  /// Whether the scheme is `http+unix` or `https+unix`.
  package var isOfUnixSocket: Bool {
    !isHTTP
      && text.withBytes {
        $0.hasPrefixIgnoringASCIICase("http+unix:") || $0.hasPrefixIgnoringASCIICase("https+unix:")
      }
  }
  /// Whether the URL has a user's name, or a password.
  package let hasUser: Bool
  /// Whether there is a host (RFC 3986, section 3.2.2), and it has a name.
  package let hasHost: Bool

  package init(_ url: URL?) {
    text = url?.absoluteString ?? ""
    (isHTTPS, isHTTP, hasHost, hasUser) = text.withBytes { bytes in
      let isHTTPS = bytes.hasPrefixIgnoringASCIICase("https:")
      let authority = Self.authority(of: bytes)
      return (isHTTPS, isHTTPS || bytes.hasPrefixIgnoringASCIICase("http:"), authority.hasHost, authority.hasUser)
    }
  }

  /// The host stands between the user's name, if there is one, and the port, in what follows `//`.
  private static func authority(of url: UnsafeBufferPointer<UInt8>) -> (hasHost: Bool, hasUser: Bool) {
    let slash = UInt8(ascii: "/")
    guard let colon = url.firstIndex(of: UInt8(ascii: ":")), colon + 2 < url.count, url[colon + 1] == slash,
      url[colon + 2] == slash
    else { return (false, false) }
    let start = colon + 3
    var host = start
    var end = host
    while end < url.count, url[end] != slash, url[end] != UInt8(ascii: "?"), url[end] != UInt8(ascii: "#") {
      if url[end] == UInt8(ascii: "@") { host = end + 1 }
      end += 1
    }
    return (host < end && url[host] != UInt8(ascii: ":"), host > start)
  }
}
