internal import CCurl

/// What the installed libcurl can do. Its first use prepares libcurl for the process.
struct CurlLibrary: Sendable {
  static let shared = CurlLibrary()

  /// libcurl was built with a file of trusted certificates.
  let hasDefaultCAFile: Bool
  /// A comma separated list of the content codings that libcurl can decode.
  let contentCodings: String

  private init() {
    curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    let version = ccurl_version()?.pointee
    hasDefaultCAFile = version?.cainfo != nil
    let features = version?.features ?? 0
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
