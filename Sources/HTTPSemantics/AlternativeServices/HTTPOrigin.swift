import Foundation

/// Host and port of an `https` URL, by which alternatives are known (RFC 7838, section 2).
package struct HTTPOrigin: Hashable, Comparable, Sendable {
  /// The name or address, in lower case, an IPv6 address without brackets.
  package let host: String
  package let port: UInt16

  package init(host: String, port: UInt16) {
    (self.host, self.port) = (host, port)
  }

  /// Nil for a URL of another scheme, and for one whose host or port is not one.
  package init?(_ url: URL) {
    guard url.scheme?.equalsIgnoringASCIICase("https") == true, let host = url.host(percentEncoded: false),
      let name = Self.canonicalHost(host), let port = UInt16(exactly: url.port ?? 443), port > 0
    else { return nil }
    self.init(host: name, port: port)
  }

  package static func < (first: HTTPOrigin, second: HTTPOrigin) -> Bool {
    (first.host, first.port) < (second.host, second.port)
  }

  /// A host as origins have it; nil where it is not one.
  package static func canonicalHost(_ text: String) -> String? {
    var name = CookieMatching.asciiDomain(text).lowercased()
    if name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
    guard !name.isEmpty, name.utf8.count <= 253, name.utf8.allSatisfy(isHostCharacter) else { return nil }
    return name
  }

  /// What names and addresses consist of, those of IPv6 with their zone. Anything else would be syntax where the host is written.
  private static func isHostCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x61...0x7A, 0x2D, 0x2E, 0x3A, 0x5F: true
    default: false
    }
  }
}
