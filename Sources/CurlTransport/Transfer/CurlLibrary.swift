internal import CCurl
import Glibc

/// The process-wide state of libcurl.
// `share` is a pointer that never changes. What it points to, the caches of names and TLS sessions, libcurl touches
// only from calls with an easy handle, and those are made on the loop's thread alone: it needs no lock.
struct CurlLibrary: @unchecked Sendable {
  static let shared = CurlLibrary()

  /// Names and TLS sessions are cached once for all engines.
  let share: UnsafeMutableRawPointer?
  /// libcurl can keep HTTP/2 connections.
  let hasHTTP2: Bool
  /// libcurl was built with a file of trusted certificates.
  let hasDefaultCAFile: Bool
  /// A comma separated list of the content codings that libcurl can decode.
  let contentCodings: String

  private init() {
    curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    share = curl_share_init()
    if let share {
      _ = ccurl_share_data(share, CURL_LOCK_DATA_DNS)
      _ = ccurl_share_data(share, CURL_LOCK_DATA_SSL_SESSION)
    }
    let version = ccurl_version()?.pointee
    hasDefaultCAFile = version?.cainfo != nil
    let features = version?.features ?? 0
    hasHTTP2 = features & CURL_VERSION_HTTP2 != 0
    var codings: [String] = []
    if features & CURL_VERSION_LIBZ != 0 { codings += ["gzip", "deflate"] }
    if features & CURL_VERSION_BROTLI != 0 { codings.append("br") }
    if features & CURL_VERSION_ZSTD != 0 { codings.append("zstd") }
    contentCodings = codings.joined(separator: ", ")
  }
}

/// The content codings that can be decoded, in the form of an Accept-Encoding field (RFC 9110 section 12.5.3).
/// Empty when there are none.
package var supportedContentCodings: String { CurlLibrary.shared.contentCodings }
