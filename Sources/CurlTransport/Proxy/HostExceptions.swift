import Glibc

/// A list of hosts that are reached without a proxy.
///
/// An entry is `*` (every host), a name (that host and all below it; a leading dot changes nothing), a pattern with
/// `*`, an address, or a range in CIDR form, the octets of an IPv4 range cut short if one likes (`169.254/16`). A name, a pattern or an
/// address may have a port (`example.org:8080`), and counts for that port alone.
struct HostExceptions: Sendable, Equatable {
  private struct Entry: Sendable, Equatable {
    var hosts: Hosts
    /// Nil for every port.
    var port: Int?
  }

  private enum Hosts: Sendable, Equatable {
    case all
    case name(String)
    case pattern(String)
    case range(address: [UInt8], bits: Int)
  }

  private var entries: [Entry]
  private let excludesSimpleHostnames: Bool

  init(_ texts: [String], excludesSimpleHostnames: Bool) {
    entries = texts.compactMap(Self.parse)
    self.excludesSimpleHostnames = excludesSimpleHostnames
  }

  /// Whether `host`, in lower case and without brackets, is on the list.
  /// - Parameter port: nil where it is not known, and no entry with a port counts.
  func contains(_ host: String, port: Int?) -> Bool {
    let address = Self.address(host)
    if excludesSimpleHostnames, address == nil, !host.utf8.contains(UInt8(ascii: ".")) { return true }
    return entries.contains { entry in
      if let own = entry.port, own != port { return false }
      switch entry.hosts {
      case .all: return true
      case .name(let name): return address == nil && (host == name || host.hasSuffix("." + name))
      case .pattern(let pattern): return fnmatch(pattern, host, 0) == 0
      case .range(let range, let bits):
        guard let address, address.count == range.count else { return false }
        return Self.share(address, range, bits: bits)
      }
    }
  }

  private static func parse(_ text: String) -> Entry? {
    let text = text.lowercased()
    if let slash = text.firstIndex(of: "/") {
      guard let address = address(String(text[..<slash]), allowsShort: true),
        let bits = Int(text[text.index(after: slash)...]), (0...address.count * 8).contains(bits)
      else { return nil }
      return Entry(hosts: .range(address: address, bits: bits))
    }
    // Without brackets colons belong to an address of IPv6.
    if let address = address(text) { return Entry(hosts: .range(address: address, bits: address.count * 8)) }
    var host = Substring(text)
    var rest = Substring()
    if text.hasPrefix("[") {
      host = text.dropFirst().prefix { $0 != "]" }
      rest = text.drop { $0 != "]" }.dropFirst()
    } else if let colon = text.lastIndex(of: ":") {
      (host, rest) = (text[..<colon], text[colon...])
    }
    guard rest.isEmpty || rest.first == ":" else { return nil }
    let port = UInt16(rest.dropFirst()).map(Int.init)
    guard port != nil || rest.count < 2 else { return nil }
    return hosts(String(host)).map { Entry(hosts: $0, port: port) }
  }

  private static func hosts(_ text: String) -> Hosts? {
    if text == "*" { return .all }
    if let address = address(text) { return .range(address: address, bits: address.count * 8) }
    var name = text
    while name.hasPrefix(".") { name.removeFirst() }
    if name.hasSuffix(".") { name.removeLast() }
    if name.isEmpty { return nil }
    return name.utf8.contains(UInt8(ascii: "*")) ? .pattern(name) : .name(name)
  }

  /// The bytes of an IPv4 or IPv6 address.
  private static func address(_ text: String, allowsShort: Bool = false) -> [UInt8]? {
    if text.utf8.contains(UInt8(ascii: ":")) {
      var bytes = [UInt8](repeating: 0, count: 16)
      let unscoped = text.prefix { $0 != "%" }
      return inet_pton(AF_INET6, String(unscoped), &bytes) == 1 ? bytes : nil
    }
    var parts = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    if allowsShort { while parts.count < 4 { parts.append(0) } }
    let bytes = parts.compactMap { $0 }
    return parts.count == 4 && bytes.count == 4 ? bytes : nil
  }

  private static func share(_ first: [UInt8], _ second: [UInt8], bits: Int) -> Bool {
    for index in 0..<(bits + 7) / 8 {
      let count = min(8, bits - index * 8)
      let mask = UInt8(truncatingIfNeeded: 0xff00 >> count)
      if first[index] & mask != second[index] & mask { return false }
    }
    return true
  }
}
