internal import URLLoadingCBlockCache
internal import URLLoadingCCurl

/// What the installed libcurl can do. Its first use prepares libcurl for the process.
struct CurlLibrary: Sendable {
  static let shared = CurlLibrary()

  /// libcurl was built with a file of trusted certificates.
  let hasDefaultCAFile: Bool
  /// The buffer that a transfer reads into is freed with its end; seen with 7.88.1. Earlier ones may keep it as long as the handle.
  let freesReceiveBuffers: Bool

  private init() {
    // A program that has prepared libcurl already has chosen its memory, too: then this only counts one user more.
    curl_global_init_mem(
      Int(CURL_GLOBAL_DEFAULT), block_cache_malloc, block_cache_free, block_cache_realloc, block_cache_strdup,
      block_cache_calloc)
    let version = ccurl_version()?.pointee
    hasDefaultCAFile = version?.cainfo != nil
    freesReceiveBuffers = (version?.version_num ?? 0) >= 0x07_58_00
  }
}
