internal import URLLoadingCCurl

/// The library behind the transfer engine, for version reports.
package enum TransferLibrary {
  /// Names and versions of libcurl and what it stands on, as `curl -V` has them. Not by `curl_version`, which 7.88 has initialize
  /// OpenLDAP: that resolves the host's own name.
  package static var description: String {
    _ = CurlLibrary.shared
    guard let version = ccurl_version()?.pointee else { return "libcurl" }
    let parts: [(name: String, version: UnsafePointer<CChar>?)] = [
      ("libcurl/", version.version), ("", version.ssl_version), ("zlib/", version.libz_version),
      ("brotli/", version.brotli_version),
      ("zstd/", version.zstd_version), ("libidn2/", version.libidn), ("", version.libssh_version),
      ("nghttp2/", version.nghttp2_version),
    ]
    return parts.compactMap { part in part.version.map { part.name + String(cString: $0) } }.joined(separator: " ")
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

  /// The library can log in by NTLM; many are built without it since 8.20, which leaves it out unless it is asked for.
  package static let speaksNTLM = features.contains("NTLM")
  /// The library loads by HTTP/3, and its TLS is one that connections can be judged by.
  package static var speaksHTTP3: Bool { CurlLibrary.shared.speaksHTTP3 }
  /// A request by HTTP/3 may wait in vain: the library has not sent all of it, and does not tell.
  package static var losesHTTP3Requests: Bool { CurlLibrary.shared.losesHTTP3Requests }
  /// A login by Digest may have a name with other characters than ASCII's.
  package static var takesAnyDigestName: Bool { !CurlLibrary.shared.manglesDigestNames }
}
