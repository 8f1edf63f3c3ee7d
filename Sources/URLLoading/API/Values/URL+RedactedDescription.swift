internal import URLLoadingHTTPSemantics

extension URL {
  /// The URL for a message or a log: without passwords, query and fragment, and not longer than a line (a `data:` URL has no end).
  ///
  /// `***` replaces each password: that of this URL, and those of URLs inside of it, as they stand or
  /// percent-encoded (`archive://http%3A%2F%2Fuser%3A***%40host%2Fx.zip/a`). A query, which often has a key, becomes `?…`, also that of
  /// an archive's URL.
  public var redactedDescription: String { Self.redactedDescription(of: absoluteString) }

  /// The same for text that may be no URL, such as user input or a server's field.
  public static func redactedDescription(of text: String) -> String {
    // The passwords first: they may have what looks like a query.
    let shown = Array(shownDescription(of: text).utf8)
    let end = shown.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    var kept = withoutEncodedQuery(shown[..<(end ?? shown.count)])
    if let end { kept += [shown[end]] + "…".utf8 }
    return String(decoding: kept, as: UTF8.self)
  }

  /// The same with query and fragment: for the eyes of the user who has named the URL.
  package var shownDescription: String { Self.shownDescription(of: absoluteString) }

  /// The same for text that may be no URL.
  package static func shownDescription(of text: String) -> String {
    let utf8 = text.utf8
    guard utf8.count > longestShown else { return URLSecrets.cleared(text, .hidePassword) }
    // Further than what is shown, so that a password on the border is seen as one.
    let isCut = utf8.count > longestLookedAt
    let beginning = isCut ? String(decoding: utf8.prefix(longestLookedAt), as: UTF8.self) : text
    let cleared = URLSecrets.cleared(beginning, .hidePassword, isCut: isCut)
    return isCut || cleared.utf8.count > longestShown ? String(cleared.prefix(200)) + "…" : cleared
  }

  /// Without the query of the URL that the authority is, percent-encoded once or more often (`archive://https%3A%2F%2Fh%2Fx.zip%3F…/a`).
  private static func withoutEncodedQuery(_ url: ArraySlice<UInt8>) -> [UInt8] {
    guard let colon = url.firstIndex(of: UInt8(ascii: ":")), url[(colon + 1)...].starts(with: "//".utf8) else {
      return Array(url)
    }
    let authority = url[(colon + 3)...].prefix { $0 != UInt8(ascii: "/") }
    var index = authority.startIndex
    while let percent = authority[index...].firstIndex(of: UInt8(ascii: "%")) {
      var rest = authority[(percent + 1)...]
      while rest.starts(with: "25".utf8) { rest = rest.dropFirst(2) }
      if rest.first == UInt8(ascii: "3"), let last = rest.dropFirst().first, last | 0x20 == UInt8(ascii: "f") {
        return url[..<(rest.startIndex + 2)] + Array("…".utf8) + url[authority.endIndex...]
      }
      index = percent + 1
    }
    return Array(url)
  }

  /// In bytes.
  private static var longestShown: Int { 300 }
  private static var longestLookedAt: Int { 4096 }
}
