import Glibc

/// A list of hosts that are reached without a proxy.
///
/// An entry is `*` (every host), a name (that host and all below it; a leading dot changes nothing), a pattern with
/// `*`, an address, or a range in CIDR form, the octets of an IPv4 range cut short if one likes (`169.254/16`).
struct HostExceptions: Sendable, Equatable {
  private enum Entry: Sendable, Equatable {
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
  func contains(_ host: String) -> Bool {
    let address = Self.address(host)
    if excludesSimpleHostnames, address == nil, !host.utf8.contains(UInt8(ascii: ".")) { return true }
    return entries.contains { entry in
      switch entry {
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
    var name = text.lowercased()
    if name == "*" { return .all }
    if let slash = name.firstIndex(of: "/") {
      guard let address = address(String(name[..<slash]), allowsShort: true),
        let bits = Int(name[name.index(after: slash)...]), (0...address.count * 8).contains(bits)
      else { return nil }
      return .range(address: address, bits: bits)
    }
    if name.hasPrefix("["), let end = name.firstIndex(of: "]") { name = String(name.dropFirst().prefix(upTo: end)) }
    if let address = address(name) { return .range(address: address, bits: address.count * 8) }
    // A port, as other programs allow; it is ignored here.
    if let colon = name.lastIndex(of: ":") { name = String(name[..<colon]) }
    if let address = address(name) { return .range(address: address, bits: address.count * 8) }
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
