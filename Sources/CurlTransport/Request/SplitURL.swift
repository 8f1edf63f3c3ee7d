internal import URLLoadingBase

/// Where a URL can be split: the origin, which libcurl is told once, and the request's target, which it sends as it is.
///
/// Only what every libcurl sends unchanged is split. It encodes bytes above 0x7F, makes the letters of a path's escapes upper case
/// (seen with 8.23), and drops the question mark of an empty query (8.14). User information, fragments, and a URL without a path are for
/// libcurl to evaluate.
enum SplitURL {
  /// How many bytes stand before the path; nil for a URL that stays whole.
  static func originLength(_ url: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let host = schemeLength(url) else { return nil }
    var path = host
    while path < url.count, url[path] != UInt8(ascii: "/") {
      guard isOfHost(url[path]) else { return nil }
      path += 1
    }
    guard path > host, path < url.count else { return nil }
    var query = path
    while query < url.count, url[query] != UInt8(ascii: "?") {
      guard isSentAsItIs(url[query]) else { return nil }
      if url[query] == UInt8(ascii: "%"), !hasUpperCaseEscape(url, query) { return nil }
      query += 1
    }
    guard query < url.count else { return path }
    for index in (query + 1)..<url.count where !isSentAsItIs(url[index]) { return nil }
    return query + 1 < url.count ? path : nil
  }

  /// How long `http://` or `https://` is.
  private static func schemeLength(_ url: UnsafeBufferPointer<UInt8>) -> Int? {
    url.hasPrefixIgnoringASCIICase("http://") ? 7 : url.hasPrefixIgnoringASCIICase("https://") ? 8 : nil
  }

  /// Of a name, an address or a port.
  private static func isOfHost(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: ":"),
      UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "["), UInt8(ascii: "]"):
      true
    default: false
    }
  }

  private static func isSentAsItIs(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7f && byte != UInt8(ascii: "#")
  }

  // Not inlined: few URLs have one, and each byte of the others would pay.
  @inline(never)
  private static func hasUpperCaseEscape(_ url: UnsafeBufferPointer<UInt8>, _ index: Int) -> Bool {
    for digit in url[(index + 1)...].prefix(2) where UInt8(ascii: "a")...UInt8(ascii: "f") ~= digit { return false }
    return true
  }
}
