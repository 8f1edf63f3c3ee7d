internal import URLLoadingBase
internal import URLLoadingCCurl

/// Gives libcurl a request's URL, for speed in two parts: the origin, parsed once a handle (`CURLOPT_CURLU`), and path and query, which go
/// into the request as they are (`CURLOPT_REQUEST_TARGET`). libcurl otherwise formats each byte of it one at a time, several times.
///
/// The same bytes are sent; `TransferEngineConfiguration.splitsURLs` turns it off. Gained, of the instructions of one GET of a URL of 95
/// bytes by HTTP/1.1 on a kept connection: 34,200 of 74,700 with libcurl 7.88, 28,700 of 77,900 with 8.14, 3,100 of 40,100 with 8.23.
extension EasyHandle {
  /// - Parameter originLength: where the URL may be split, see ``SplitURL``; nil for one that stays whole.
  /// - Returns: false where libcurl does not take the URL.
  func setURL(_ url: String, _ originLength: Int?) -> Bool {
    if let length = originLength, shape?.takesTarget == true {
      let isTaken: Bool? = url.withCString { url in
        keepOrigin(of: url, length) ? ccurl_set_string(curl, CURLOPT_REQUEST_TARGET, url + length) == CURLE_OK : nil
      }
      if let isTaken { return isTaken }
    }
    leaveOrigin()
    return set(CURLOPT_URL, url)
  }

  private func keepOrigin(of url: UnsafePointer<CChar>, _ length: Int) -> Bool {
    if origin.begins(url, length) {
      if origin.isSet { return true }
    } else if !origin.take(from: url, length) {
      return false
    }
    // libcurl has the URL of a request that it repeats from the second, and 7.88 does not take it from the first anew. In this order: since
    // 8.21 the first makes it forget the second.
    set(CURLOPT_CURLU, origin.parsed.map { UnsafeRawPointer($0) })
    _ = origin.text.withUnsafeBufferPointer { ccurl_set_string(curl, CURLOPT_URL, $0.baseAddress) }
    origin.isSet = true
    return true
  }

  /// Both are unset before the URL is set whole.
  private func leaveOrigin() {
    guard origin.isSet else { return }
    origin.isSet = false
    set(CURLOPT_CURLU, UnsafeRawPointer?.none)
    _ = ccurl_set_string(curl, CURLOPT_REQUEST_TARGET, nil)
  }
}
