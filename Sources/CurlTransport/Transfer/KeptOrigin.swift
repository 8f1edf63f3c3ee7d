import Glibc
internal import URLLoadingCCurl

/// The origin of a handle's URLs, which libcurl has parsed once.
struct KeptOrigin: ~Copyable {
  /// A `CURLU`. libcurl reads it for as long as it is set.
  private(set) var parsed: OpaquePointer?
  /// The URL of the origin, with its path `/` and a NUL; empty where there is none.
  private(set) var text: [CChar] = []
  /// libcurl has it, and not the whole URL.
  var isSet = false

  /// Whether this is the origin of a URL whose path comes after `length` bytes.
  func begins(_ url: UnsafePointer<CChar>, _ length: Int) -> Bool {
    guard text.count == length + 2 else { return false }
    return text.withUnsafeBufferPointer { text in text.baseAddress.map { memcmp($0, url, length + 1) == 0 } ?? false }
  }

  /// Takes the origin of such a URL.
  /// - Returns: false where libcurl does not take it.
  mutating func take(from url: UnsafePointer<CChar>, _ length: Int) -> Bool {
    parsed = parsed ?? curl_url()
    text = UnsafeBufferPointer(start: url, count: length + 1) + [0]
    let flags = UInt32(CURLU_PATH_AS_IS | CURLU_NON_SUPPORT_SCHEME)
    let isTaken =
      parsed != nil
      && text.withUnsafeBufferPointer { curl_url_set(parsed, CURLUPART_URL, $0.baseAddress, flags) == CURLUE_OK }
    if !isTaken { text = [] }
    return isTaken
  }

  deinit { curl_url_cleanup(parsed) }
}
