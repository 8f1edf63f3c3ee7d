/// Finds users and passwords of URLs in a text: of the URL that it is, and of those inside of it, as they stand
/// (`archive:http://u:p@host/x.zip!/a`) or percent-encoded, once or more often (`archive://http%3A%2F%2Fu%3Ap%40host…/a`).
///
/// Every URL that is printed or stored is cleared by this. It works on the text and knows no scheme: any scheme may nest others, and
/// text that is no URL may have a password, too. The text is searched as it stands, then decoded once, twice and so on. What is found
/// in any of these views is removed from the text; the rest stays byte for byte.
package struct URLSecrets {
  /// How secrets are removed.
  package enum Treatment {
    /// The password becomes `***`. For messages: whatever may be a password counts, also in text that is no valid URL.
    case hidePassword
    /// The same in text around URLs, which may have a colon and an `@`, too.
    case hideInText
    /// The password is removed with its colon: a URL stays one.
    case removePassword
    /// User and password are removed with the `@`: a URL stays one.
    case removeUser
  }

  /// How often a text is decoded at most: archives nest up to 64 deep.
  private static let maximumLevels = 70

  private let treatment: Treatment
  /// Whether the text is the beginning of a longer one.
  private let isCut: Bool
  /// The secrets, in bytes of the text.
  private var found: [Range<Int>] = []

  /// The text without its secrets.
  /// - Parameter isCut: whether the text is the beginning of a longer one, and its end may be part of a password.
  package static func cleared(_ text: String, _ treatment: Treatment, isCut: Bool = false) -> String {
    // Most texts have no `@`, neither as such nor encoded.
    guard isCut || text.utf8.contains(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "%") }) else {
      return text
    }
    var secrets = URLSecrets(treatment: treatment, isCut: isCut)
    let bytes = Array(text.utf8)
    var view = DecodedView(bytes)
    for _ in 0..<maximumLevels {
      secrets.search(view)
      guard let next = view.decoded() else { return secrets.clear(bytes) ?? text }
      view = next
    }
    // What is encoded more often than that is not shown.
    secrets.found.append(view.firstDecoded..<bytes.count)
    return secrets.clear(bytes) ?? text
  }

  private init(treatment: Treatment, isCut: Bool) {
    (self.treatment, self.isCut) = (treatment, isCut)
  }

  private var isForPeople: Bool { treatment == .hidePassword || treatment == .hideInText }

  /// Nil if there are no secrets.
  private func clear(_ bytes: [UInt8]) -> String? {
    guard !found.isEmpty else { return nil }
    var result: [UInt8] = []
    var position = 0
    for range in found.sorted(by: { ($0.lowerBound, $1.upperBound) < ($1.lowerBound, $0.upperBound) }) {
      // A range that overlaps or touches the one before was found in another view.
      if range.lowerBound >= position, position == 0 || range.lowerBound > position {
        result += bytes[position..<range.lowerBound]
        if isForPeople { result += "***".utf8 }
      }
      position = max(position, range.upperBound)
    }
    return String(decoding: result + bytes[position...], as: UTF8.self)
  }

  // MARK: One view

  private mutating func search(_ view: DecodedView) {
    let bytes = view.bytes
    if treatment == .hidePassword { searchWithoutSlashes(view) }
    var index = 0
    while index + 1 < bytes.count {
      guard Self.isSlash(bytes[index]), Self.isSlash(bytes[index + 1]) else {
        index += 1
        continue
      }
      index += 2
      if isForPeople {
        while index < bytes.count, Self.isSlash(bytes[index]) { index += 1 }
      } else if !Self.endsWithColon(bytes[..<(index - 2)]) {
        // Two slashes in a path.
        continue
      }
      let end = endOfAuthority(bytes, from: index)
      take(index..<end, view)
      index = max(index, end)
    }
  }

  /// What people type, `user:password@host/` and `http:/user:password@host/` for example, is no URL, or one that says
  /// something else.
  private mutating func searchWithoutSlashes(_ view: DecodedView) {
    let bytes = view.bytes
    // No secret, and often long.
    guard !bytes.starts(with: "data:".utf8) else { return }
    var end = endOfAuthority(bytes, from: 0)
    if end > 0, end + 1 < bytes.count, bytes[end - 1] == UInt8(ascii: ":"), Self.isSlash(bytes[end]) {
      // With two slashes there is an authority, which is looked at as such.
      guard !Self.isSlash(bytes[end + 1]) else { return }
      end = endOfAuthority(bytes, from: end + 1)
    }
    guard let at = bytes[..<end].lastIndex(of: UInt8(ascii: "@")) else { return }
    takePassword(in: 0..<at, view)
  }

  /// Takes the user information of an authority (RFC 3986, section 3.2.1).
  private mutating func take(_ authority: Range<Int>, _ view: DecodedView) {
    let bytes = view.bytes
    // A password with an `@` that is not encoded is no valid one, and reaches to the last.
    if let at = bytes[authority].lastIndex(of: UInt8(ascii: "@")) {
      if treatment == .removeUser {
        found.append(view.origin(of: authority.lowerBound..<(at + 1)))
      } else {
        takePassword(in: authority.lowerBound..<at, view)
      }
      return
    }
    guard treatment == .hidePassword, bytes[authority].first != UInt8(ascii: "["),
      let colon = bytes[authority].firstIndex(of: UInt8(ascii: ":"))
    else { return }
    // A URL after the schemes of others: what stands before its slashes is not its authority.
    guard !Self.areSchemes(bytes[authority], before: bytes[authority.upperBound...]) else { return }
    // A slash in a password that is not encoded ends the authority early. A port is no password.
    let isPort = bytes[(colon + 1)..<authority.upperBound].allSatisfy { (0x30...0x39).contains($0) }
    let reachesEnd = isCut && authority.upperBound == bytes.count
    guard !isPort || reachesEnd else { return }
    if isCut {
      found.append(view.origin(of: (colon + 1)..<bytes.count))
    } else if let at = bytes[authority.upperBound...].lastIndex(of: UInt8(ascii: "@")) {
      found.append(view.origin(of: (colon + 1)..<at))
    }
  }

  private mutating func takePassword(in user: Range<Int>, _ view: DecodedView) {
    guard let colon = view.bytes[user].firstIndex(of: UInt8(ascii: ":")) else { return }
    found.append(view.origin(of: (isForPeople ? colon + 1 : colon)..<user.upperBound))
  }

  private func endOfAuthority(_ bytes: [UInt8], from start: Int) -> Int {
    let isText = treatment == .hideInText
    return bytes[start...].firstIndex { "/?#".utf8.contains($0) || isText && $0 <= UInt8(ascii: " ") } ?? bytes.count
  }

  /// Whether this is one scheme or more with their colons, and two slashes follow: the `jar:http:` of `archive://jar:http://host`.
  private static func areSchemes(_ bytes: ArraySlice<UInt8>, before rest: ArraySlice<UInt8>) -> Bool {
    guard bytes.last == UInt8(ascii: ":"), rest.starts(with: "//".utf8) else { return false }
    return bytes.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || ":+-.".utf8.contains(byte)
    }
  }

  /// Some readers of URLs take a backslash for a slash (WHATWG URL, "special authority slashes state").
  private static func isSlash(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }

  /// Whether a colon comes last, encoded perhaps: Foundation encodes that of a scheme inside of a path, not the slashes after it.
  private static func endsWithColon(_ bytes: ArraySlice<UInt8>) -> Bool {
    if bytes.last == UInt8(ascii: ":") { return true }
    var rest = bytes
    guard rest.popLast().map({ $0 | 0x20 }) == UInt8(ascii: "a"), rest.popLast() == UInt8(ascii: "3") else {
      return false
    }
    while rest.suffix(2).elementsEqual("25".utf8) { rest = rest.dropLast(2) }
    return rest.last == UInt8(ascii: "%")
  }
}
