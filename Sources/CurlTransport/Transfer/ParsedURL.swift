internal import CCurl

/// A URL that libcurl has taken apart. It would do that for every request, and put the whole together again: with a request that is
/// sent often, a twelfth of all that is computed.
// Loop thread only, as the memory that libcurl takes for it.
final class ParsedURL {
  let handle: OpaquePointer

  /// Nil for what libcurl does not take: it says why when it gets the text.
  init?(_ url: String) {
    guard let handle = curl_url() else { return nil }
    // What libcurl uses for a text with CURLOPT_PATH_AS_IS.
    let flags = CURLU_GUESS_SCHEME | CURLU_NON_SUPPORT_SCHEME | CURLU_PATH_AS_IS
    guard curl_url_set(handle, CURLUPART_URL, url, UInt32(flags)) == CURLUE_OK else {
      curl_url_cleanup(handle)
      return nil
    }
    self.handle = handle
  }

  deinit {
    curl_url_cleanup(handle)
  }
}
