internal import URLLoadingHTTPSemantics

/// What is said of domains, addresses and ranges of these. Of several that a host is in, the most specific one holds.
struct TransportSecurityDomains<Value: Sendable>: Sendable {
  /// What is said of one.
  struct Entry: Sendable {
    /// The key in the dictionary.
    let domain: String
    let value: Value
    fileprivate let includesSubdomains: Bool
  }

  private var names: [String: Entry] = [:]
  /// The narrowest first.
  private var ranges: [(range: IPAddressRange, entry: Entry)] = []

  init() {}

  /// - Parameter read: reads what is said of one; `NSIncludesSubdomains` is read here.
  init(
    _ table: TransportSecurityTable, read: (TransportSecurityTable) throws(TransportSecurityError) -> Value
  ) throws(TransportSecurityError) {
    for domain in table.keys {
      guard let contents = try table.table(domain) else { continue }
      let includes = try contents.boolean("NSIncludesSubdomains") ?? false
      let entry = Entry(domain: domain, value: try read(contents), includesSubdomains: includes)
      if let range = IPAddressRange(domain) {
        ranges.append((range, entry))
      } else if let remedy = Self.remedy(for: domain) {
        throw TransportSecurityError(
          path: table.path, problem: "\"\(domain)\" is neither a domain nor an address", remedy: remedy)
      } else {
        names[domain] = entry
      }
    }
    ranges.sort { $0.range.prefixLength > $1.range.prefixLength }
  }

  /// What is said of a host: of it itself, else of the domain one label above, where that includes its subdomains, which on Apple's
  /// systems are those with one label more. A name and the address that it has are two hosts.
  /// - Parameter host: in lower case, addresses without brackets.
  func entry(for host: String) -> Entry? {
    if let address = IPAddressRange.bytes(of: host) { return ranges.first { $0.range.contains(address) }?.entry }
    if let entry = names[host] { return entry }
    guard let dot = host.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
    let parent = names[String(host[host.utf8.index(after: dot)...])]
    return parent?.includesSubdomains == true ? parent : nil
  }

  /// What a key ought to be that is no name of a domain; nil for one that is.
  private static func remedy(for domain: String) -> String? {
    if domain.isEmpty { return "the name of a domain" }
    let lower = domain.lowercased()
    if domain != lower { return "\"\(lower)\", in lower case" }
    if domain.hasPrefix("*.") { return "\"\(domain.dropFirst(2))\" with NSIncludesSubdomains" }
    if domain.contains("://") { return "a domain without a scheme" }
    if domain.hasPrefix("[") { return "an address without brackets" }
    if let host = domain.split(separator: ":", omittingEmptySubsequences: false).first, host.count < domain.count {
      return "\"\(host)\", without a port, or an IPv6 address"
    }
    if domain.utf8.contains(where: { $0 >= 0x80 }) {
      return "\"\(CookieMatching.asciiDomain(domain))\", as it is sent to name servers"
    }
    let isName = domain.utf8.allSatisfy { byte in
      byte.isASCIIDigit || 0x61...0x7A ~= byte || byte == 0x2D || byte == 0x2E || byte == 0x5F
    }
    return isName ? nil : "a domain such as \"example.org\", an address, or a range such as \"192.0.2.0/24\""
  }
}
