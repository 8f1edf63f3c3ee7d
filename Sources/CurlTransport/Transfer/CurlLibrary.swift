internal import CCurl

/// What the installed libcurl can do. Its first use prepares libcurl for the process.
struct CurlLibrary: Sendable {
  static let shared = CurlLibrary()

  /// libcurl was built with a file of trusted certificates.
  let hasDefaultCAFile: Bool

  private init() {
    curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    let version = ccurl_version()?.pointee
    hasDefaultCAFile = version?.cainfo != nil
  }
}
