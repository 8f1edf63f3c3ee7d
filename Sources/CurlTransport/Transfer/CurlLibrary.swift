internal import URLLoadingCBlockCache
internal import URLLoadingCCurl
internal import URLLoadingCOpenSSL

/// What the installed libcurl can do. Its first use prepares libcurl for the process.
struct CurlLibrary: Sendable {
  static let shared = CurlLibrary()

  /// The file of trusted certificates that libcurl was built with.
  let defaultCAFile: String?
  /// The buffer that a transfer reads into is freed with its end; seen with 7.88.1. Earlier ones may keep it as long as the handle.
  let freesReceiveBuffers: Bool
  /// See EasyHandle+FirstField: 7.83 to 8.2.
  let misjudgesFirstFields: Bool
  /// The answer to an upload over HTTP/2 is lost if RST_STREAM comes with it, in one record of TLS.
  let losesEarlyAnswers: Bool

  /// libcurl speaks TLS by the OpenSSL that this package is linked with, whose functions know its objects.
  let usesLinkedOpenSSL: Bool

  private init() {
    // Where the program has initialised libcurl, with an allocator of its choice, this only increments the reference count.
    curl_global_init_mem(
      Int(CURL_GLOBAL_DEFAULT), block_cache_malloc, block_cache_free, block_cache_realloc, block_cache_strdup,
      block_cache_calloc)
    let version = ccurl_version()?.pointee
    defaultCAFile = version?.cainfo.map { String(cString: $0) }
    let library = version?.ssl_version.map { String(cString: $0) }
    let linked = OpenSSL_version(OPENSSL_VERSION_STRING).map { String(cString: $0) }
    usesLinkedOpenSSL = linked.map { library == "OpenSSL/\($0)" } ?? false
    let number = version?.version_num ?? 0
    freesReceiveBuffers = number >= 0x07_58_00
    misjudgesFirstFields = (0x07_53_00..<0x08_03_00).contains(number)
    losesEarlyAnswers = number < 0x08_01_00
  }
}
