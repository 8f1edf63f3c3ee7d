/// The `:authority` of a request: a host, and perhaps a port (RFC 9113, section 8.3.1).
enum Authority {
  /// Schemes whose `:authority` has no user, and is never empty.
  private static let webSchemes = ["http", "https", "ws", "wss"]

  /// Whether a text is an authority and nothing else: one that ended a URL's authority would change which host is asked.
  static func isValid(_ text: String, for scheme: String) -> Bool {
    guard !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F || #"/?#\"#.utf8.contains($0) }) else { return false }
    let isWeb = webSchemes.contains(scheme.lowercased())
    var place = text[...]
    if let user = text.lastIndex(of: "@") {
      guard !isWeb else { return false }
      place = text[text.index(after: user)...]
    }
    return isValid(place, needsHost: isWeb)
  }

  /// The authority of a URL as a request has it: without the user, where that is no part of what is asked for.
  static func field(for text: Substring, scheme: String) -> String {
    guard webSchemes.contains(scheme.lowercased()), let user = text.lastIndex(of: "@") else { return String(text) }
    return String(text[text.index(after: user)...])
  }

  /// - Parameter place: `host`, `host:port`, `[address]` or `[address]:port`.
  private static func isValid(_ place: Substring, needsHost: Bool) -> Bool {
    let host: Substring
    if place.hasPrefix("[") {
      guard let end = place.firstIndex(of: "]") else { return false }
      host = place[...end]
    } else {
      host = place.prefix { $0 != ":" }
    }
    guard !host.isEmpty || (!needsHost && place.isEmpty) else { return false }
    let port = place[host.endIndex...]
    // RFC 3986, section 3.2.3: a colon without a port is allowed.
    return port.isEmpty || port == ":"
      || port.first == ":" && port.utf8.dropFirst().allSatisfy(\.isDigit) && UInt16(port.dropFirst()) != nil
  }
}
