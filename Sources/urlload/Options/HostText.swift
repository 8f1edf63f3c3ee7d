/// A host without a scheme, with or without a port and a path: `example.org/a`, `localhost:8080`, `[::1]`.
struct HostText {
  /// With the scheme that curl takes it for: `ftp` where the name begins so, else `http`.
  let urlText: String

  /// Nil for what has a scheme, and for a word that need not be a host.
  init?(_ text: String) {
    let end = text.firstIndex { "/?#".contains($0) } ?? text.endIndex
    let authority = text[..<end]
    let place = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    var host = place
    var hasPort = false
    if place.hasPrefix("[") {
      guard let bracket = place.firstIndex(of: "]") else { return nil }
      host = place[...bracket]
      hasPort = true
      guard place[place.index(after: bracket)...].isEmpty || Self.isPort(place[place.index(after: bracket)...]) else {
        return nil
      }
    } else if let colon = place.firstIndex(of: ":") {
      guard Self.isPort(place[colon...]) else { return nil }
      host = place[..<colon]
      hasPort = true
    }
    guard !host.isEmpty, host.allSatisfy({ $0.isLetter || $0.isNumber || "-._[]:%".contains($0) }) else { return nil }
    let isName = host == "localhost" || host.contains(".") && host.first != "." && host.last != "."
    guard hasPort || isName || end < text.endIndex else { return nil }
    // What has a colon before the host may as well have a scheme, as addresses of mail have.
    guard hasPort || end < text.endIndex || !authority.dropLast(place.count).contains(":") else { return nil }
    urlText = (host.lowercased().hasPrefix("ftp.") ? "ftp://" : "http://") + text
  }

  private static func isPort(_ text: Substring) -> Bool {
    text.first == ":" && text.count > 1 && UInt16(text.dropFirst()) != nil
  }

  /// What can only be the path of a file.
  static func isPath(_ text: String) -> Bool {
    !text.contains("!/") && !text.hasPrefix("//") && ["/", "./", "../", "~/"].contains { text.hasPrefix($0) }
      || text == "." || text == ".."
  }
}
