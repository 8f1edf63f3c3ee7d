extension URL {
  /// The URL for a message: without passwords, and not longer than a line (a `data:` URL has no end).
  ///
  /// `***` replaces each password: that of this URL, and those of URLs inside of it, as they stand or
  /// percent-encoded (`archive://http%3A%2F%2Fuser%3A***%40host%2Fx.zip/a`).
  public var redactedDescription: String { Self.redactedDescription(of: absoluteString) }

  /// The same for text that may be no URL, such as user input or a server's field.
  public static func redactedDescription(of text: String) -> String {
    let utf8 = text.utf8
    guard utf8.count > longestShown else { return URLSecrets.cleared(text, .hidePassword) }
    // Further than what is shown, so that a password on the border is seen as one.
    let isCut = utf8.count > longestLookedAt
    let beginning = isCut ? String(decoding: utf8.prefix(longestLookedAt), as: UTF8.self) : text
    let cleared = URLSecrets.cleared(beginning, .hidePassword, isCut: isCut)
    return isCut || cleared.utf8.count > longestShown ? String(cleared.prefix(200)) + "…" : cleared
  }

  /// In bytes.
  private static var longestShown: Int { 300 }
  private static var longestLookedAt: Int { 4096 }
}
