import Foundation

/// That a host is to be reached over a secure connection alone: a Known HSTS Host (RFC 6797, section 8.1).
package struct HSTSPolicy: HostFact, Equatable {
  /// The host's name, in canonical form.
  package let host: String
  package let includesSubdomains: Bool
  /// When it ends.
  package let expires: Date
  /// When it was noted.
  package let noted: Date

  package init(host: String, includesSubdomains: Bool, expires: Date, noted: Date) {
    (self.host, self.includesSubdomains) = (host, includesSubdomains)
    (self.expires, self.noted) = (expires, noted)
  }

  package var key: String { host }

  /// The name of a host as policies have it: in lower case, without the dot of the root, names in other scripts as `xn--…` (sections 8.2
  /// and 9). Nil for an address, which never has a policy (section 8.1.1), and for what is no name.
  package static func canonicalName(of host: String) -> String? {
    var name = CookieMatching.asciiDomain(host).lowercased()
    if name.utf8.last == UInt8(ascii: ".") { name.removeLast() }
    guard !name.isEmpty, name.utf8.count <= 253, !CookieMatching.isAddress(name),
      !name.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F || $0 == UInt8(ascii: "[") }),
      !name.utf8.starts(with: [UInt8(ascii: ".")])
    else { return nil }
    // What resolvers take for an address as well: `127.1`, `0x7f000001`.
    let last = name.split(separator: ".", omittingEmptySubsequences: false).last ?? ""
    guard !last.utf8.allSatisfy(\.isASCIIDigit), !last.hasPrefix("0x") else { return nil }
    return name
  }
}
