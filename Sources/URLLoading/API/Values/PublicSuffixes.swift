internal import URLLoadingCPSL
internal import URLLoadingHTTPSemantics

/// The list of names under which anybody can register a domain (publicsuffix.org), by libpsl. Names are given in
/// lower case.
enum PublicSuffixes {
  // libpsl only reads a list after it is loaded; its lookup functions are documented as thread-safe. The list is
  // never freed. The system's list is preferred where it is newer than the one built into the library.
  nonisolated(unsafe) private static let list: OpaquePointer? = psl_latest(nil) ?? psl_builtin()

  /// Whether a name is a public suffix such as `com` or `co.uk`. A name the list does not know is one if it has no
  /// dot.
  static func isPublicSuffix(_ domain: String) -> Bool {
    guard let list else { return !domain.utf8.contains(UInt8(ascii: ".")) }
    return psl_is_public_suffix(list, domain) == 1
  }

  /// The registrable domain of a host, `example.co.uk` for `www.example.co.uk`; the host itself if it is an address,
  /// a public suffix or unknown.
  static func site(of host: String) -> String {
    guard !CookieMatching.isAddress(host), let list else { return host }
    // libpsl returns a pointer into the string it was given.
    return host.withCString { psl_registrable_domain(list, $0).map { String(cString: $0) } } ?? host
  }
}
