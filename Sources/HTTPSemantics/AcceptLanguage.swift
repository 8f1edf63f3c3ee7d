/// The languages that a user reads, as requests name them (RFC 9110 12.5.4).
///
/// They are found as gettext does: `LC_ALL`, `LC_MESSAGES` or `LANG`, whichever is set first, names the locale, and
/// `LANGUAGE` may have a list that counts in its place, but not in the locale C. Each tag is followed by its plain
/// language, for servers that know that only (RFC 4647 3.4): `de_DE.UTF-8` becomes `de-DE,de;q=0.9`.
package enum AcceptLanguage {
  /// Weights have one digit, and zero would mean "not acceptable".
  private static let largestCount = 10

  /// The field's value; nil in the locales C and POSIX.
  /// - Parameter environment: gives the values of variables.
  package static func value(environment: (String) -> String?) -> String? {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty }
    guard let locale, !isPlain(locale) else { return nil }
    let listed = (environment("LANGUAGE") ?? "").split(separator: ":").compactMap { tag($0) }
    var tags = listed.isEmpty ? [tag(locale)].compactMap { $0 } : listed
    // A plain language goes after the last of its regions, unless it is in the list by itself.
    var index = tags.startIndex
    while index < tags.endIndex {
      let language = language(of: tags[index])
      let isRegionalLater = tags[(index + 1)...].contains { Self.language(of: $0) == language }
      if !isRegionalLater, !tags.contains(language) { tags.insert(language, at: index + 1) }
      index += 1
    }
    var result = ""
    var seen: Set<String> = []
    for tag in tags where seen.count < largestCount && seen.insert(tag).inserted {
      let weight = largestCount + 1 - seen.count
      result += result.isEmpty ? tag : ",\(tag);q=0.\(weight)"
    }
    return result.isEmpty ? nil : result
  }

  /// Whether nothing is said about a language: `C`, `POSIX`, and these with an encoding.
  private static func isPlain(_ locale: String) -> Bool {
    let name = locale.prefix { $0 != "." && $0 != "@" }
    return name == "C" || name == "POSIX"
  }

  private static func language(of tag: String) -> String {
    String(tag.prefix { $0 != "-" })
  }

  /// The language tag (RFC 5646) for a locale's name, `language_TERRITORY.encoding@modifier`; nil for what is not one.
  private static func tag(_ locale: some StringProtocol) -> String? {
    let parts = locale.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    let name = (parts.first ?? "").prefix { $0 != "." }
    let pieces = name.split(omittingEmptySubsequences: false) { $0 == "_" || $0 == "-" }
    guard let language = pieces.first, pieces.count <= 2, 2...3 ~= language.utf8.count, isLetters(language) else {
      return nil
    }
    var subtags = [language.lowercased()]
    let modifier = parts.count == 2 ? parts[1].lowercased() : ""
    if let script = scripts[modifier] { subtags.append(script) }
    if pieces.count == 2 {
      let region = pieces[1]
      guard region.utf8.count == 2 && isLetters(region) || region.utf8.count == 3 && isDigits(region) else {
        return nil
      }
      subtags.append(region.uppercased())
    }
    if modifier == "valencia" { subtags.append(modifier) }
    return subtags.joined(separator: "-")
  }

  /// Modifiers that name a script (ISO 15924).
  private static let scripts = ["latin": "Latn", "cyrillic": "Cyrl", "devanagari": "Deva", "arabic": "Arab"]

  private static func isLetters(_ text: some StringProtocol) -> Bool {
    text.utf8.allSatisfy { ($0 | 32) &- 97 < 26 }
  }

  private static func isDigits(_ text: some StringProtocol) -> Bool {
    text.utf8.allSatisfy { $0 &- 48 < 10 }
  }
}
