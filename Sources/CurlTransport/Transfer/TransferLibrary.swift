internal import URLLoadingCCurl

/// The library behind the transfer engine, for version reports.
package enum TransferLibrary {
  /// Names and versions of libcurl and what it stands on, as `curl -V` has them.
  package static var description: String {
    _ = CurlLibrary.shared
    return curl_version().map { String(cString: $0) } ?? "libcurl"
  }

  /// The features that sessions use, where the library has them.
  package static var features: [String] {
    _ = CurlLibrary.shared
    let bits = ccurl_version()?.pointee.features ?? 0
    // The values are those of CURL_VERSION_*, whose definitions Swift cannot import.
    let names: [(Int32, String)] = [
      (1 << 0, "IPv6"), (1 << 2, "TLS"), (1 << 4, "NTLM"), (1 << 7, "AsynchDNS"), (1 << 10, "IDN"), (1 << 16, "HTTP2"),
      (1 << 17, "GSS-API"), (1 << 21, "HTTPS-proxy"), (1 << 25, "HTTP3"),
    ]
    return names.filter { bits & $0.0 != 0 }.map(\.1)
  }
}
