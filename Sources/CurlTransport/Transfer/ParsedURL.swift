internal import URLLoadingCCurl

/// A URL that libcurl has taken apart. It would do that for every request, and put the whole together again: with a request that is
/// sent often, a twelfth of all that is computed.
// Loop thread only, as the memory that libcurl takes for it.
final class ParsedURL {
  let handle: OpaquePointer

  /// Nil for what has to go to libcurl as a text: what it does not take, for it to say why; a host with a zone (RFC 6874), of which
  /// 7.88.1 forgets the zone when it copies the parts; and what is not ASCII, since equal strings may have other bytes there.
  init?(_ url: String) {
    guard url.utf8.allSatisfy({ $0 < 128 }), let handle = curl_url() else { return nil }
    // What libcurl uses for a text with CURLOPT_PATH_AS_IS.
    let flags = CURLU_GUESS_SCHEME | CURLU_NON_SUPPORT_SCHEME | CURLU_PATH_AS_IS
    guard curl_url_set(handle, CURLUPART_URL, url, UInt32(flags)) == CURLUE_OK, !Self.hasZone(handle) else {
      curl_url_cleanup(handle)
      return nil
    }
    self.handle = handle
  }

  private static func hasZone(_ handle: OpaquePointer) -> Bool {
    var zone: UnsafeMutablePointer<CChar>?
    defer { curl_free(zone) }
    return curl_url_get(handle, CURLUPART_ZONEID, &zone, 0) == CURLUE_OK
  }

  deinit {
    curl_url_cleanup(handle)
  }
}
